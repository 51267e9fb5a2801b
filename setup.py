"""What pyproject.toml cannot say: the E-step in C, built where there is a compiler and left out elsewhere."""

import sysconfig

from setuptools import Extension, setup

KERNELS = "src/seedtopic/learning/topics/kernels"
# The stable interface: one wheel for every Python from 3.11 on. Builds without the global lock lack it.
STABLE = not sysconfig.get_config_var("Py_GIL_DISABLED")

setup(
    ext_modules=[
        Extension(
            "seedtopic.learning.topics.kernels._estep",
            [f"{KERNELS}/_estep.c"],
            depends=[f"{KERNELS}/_estep_walks.h"],
            extra_compile_args=["-O3", "-Werror=implicit-function-declaration"],
            define_macros=[("Py_LIMITED_API", "0x030B0000")] if STABLE else [],
            py_limited_api=STABLE,
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE else {},
)
