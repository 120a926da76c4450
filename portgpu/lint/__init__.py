"""The portability linter: finds code that does not mean the same on NVIDIA and AMD GPUs.

`engine.run` lints files; a rule is a class in `rules/`. See docs/lint.md.
"""
