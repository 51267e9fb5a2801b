"""Render the conda recipe for each system, as a build does before it begins."""

from __future__ import annotations

from pathlib import Path

from rattler_build import PlatformConfig, RenderConfig, Stage0Recipe, VariantConfig

RECIPE = Path(__file__).parents[1] / "recipe" / "recipe.yaml"
SYSTEMS = ["linux-64", "linux-aarch64", "osx-arm64", "win-64"]
VARIANTS = {"c_compiler": ["clang"], "c_stdlib": ["sysroot"], "python": ["3.11.*", "3.14.*"]}


def main() -> None:
    """Print what would be built; a recipe that cannot be rendered is an error of rattler-build."""
    recipe = Stage0Recipe.from_file(RECIPE)
    for system in SYSTEMS:
        config = RenderConfig(PlatformConfig(target_platform=system))
        for rendered in recipe.render(VariantConfig(VARIANTS), config):
            package = rendered.recipe.package
            print(f"{package.name} {package.version} for {system}, {rendered.recipe.build.string}")  # noqa: T201


if __name__ == "__main__":
    main()
