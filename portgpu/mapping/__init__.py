"""The correspondence of CUDA and HIP names: one CSV a family in `portgpu/data/mapping/`.

`load()` gives the tables; everything that renames, reports, renders headers or documents support
reads them, and nothing else holds such facts. `docs/mapping.md` explains the columns.
"""

from portgpu.mapping.tables import (
    COLUMNS,
    FAMILIES,
    Entry,
    Kind,
    Status,
    Tables,
    hip_only,
    load,
    shims,
)

__all__ = ["COLUMNS", "FAMILIES", "Entry", "Kind", "Status", "Tables", "hip_only", "load", "shims"]
