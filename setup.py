"""What pyproject.toml cannot say: the modules in C, and where a hosted build comes from.

The C code is built where there is a compiler and left out elsewhere. With SEEDTOPIC_KERNEL=c a missing
compiler is an error, as for the wheels of a release; with SEEDTOPIC_KERNEL=numpy the C code is left out,
for the wheel that runs anywhere.
"""

import os
import shutil
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCES = {  # of each module in C, its own file first
    "seedtopic.learning.graph._nearest": ["_nearest.c", "../../base/_module.h"],
    "seedtopic.learning.topics.kernels._estep": ["_estep.c", "_estep_walks.h", "../../../base/_module.h"],
    "seedtopic.base._products": ["_products.c", "_products_rows.h", "_module.h"],
    "seedtopic.text._words": [
        "_words.c",
        "_table.h",
        "_placing.h",
        "_phrases.h",
        "_reading.h",
        "_texts.h",
        "../base/_module.h",
    ],
}
KERNEL = os.environ.get("SEEDTOPIC_KERNEL", "auto")
if KERNEL not in ("auto", "c", "numpy"):
    raise SystemExit(f"SEEDTOPIC_KERNEL is {KERNEL!r}: use auto, c or numpy.")
# The stable interface: one wheel for every Python from 3.11 on. Builds without the global lock lack it.
STABLE = not sysconfig.get_config_var("Py_GIL_DISABLED")


class Build(build_ext):
    """Microsoft's compiler has no vector types; clang-cl, which understands the same options, has."""

    def build_extensions(self):
        clang = shutil.which("clang-cl")
        if self.compiler.compiler_type == "msvc" and clang:
            self.compiler.initialize()
            self.compiler.cc = clang
        super().build_extensions()


def addresses():
    """Name the repository that a hosted build runs for; a build elsewhere does not know where it is."""
    urls = {"Paper": "https://doi.org/10.1007/s00500-022-07771-9"}
    name = os.environ.get("GITHUB_REPOSITORY")
    if name:
        source = f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{name}"
        urls["Source"] = source
        urls["Documentation"] = f"{source}/tree/main/docs"
        urls["Changelog"] = f"{source}/blob/main/CHANGELOG.md"
        urls["Issues"] = f"{source}/issues"
    return urls


def extension(module, sources):
    """Describe a module in C, whose sources are in the folder of its package."""
    folder = "/".join(["src", *module.split(".")[:-1]])
    source, *depends = (f"{folder}/{name}" for name in sources)
    return Extension(
        module,
        [source],
        depends=depends,
        extra_compile_args=[] if os.name == "nt" else ["-O3", "-Werror=implicit-function-declaration"],
        define_macros=[("Py_LIMITED_API", "0x030B0000")] if STABLE else [],
        py_limited_api=STABLE,
        optional=KERNEL == "auto",
    )


compiled = KERNEL != "numpy"
setup(
    ext_modules=[extension(*module) for module in SOURCES.items()] if compiled else [],
    cmdclass={"build_ext": Build},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if compiled and STABLE else {},
    project_urls=addresses(),
)
