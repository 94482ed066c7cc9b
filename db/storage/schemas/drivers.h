#pragma once

namespace warptune::db::storage::schemas {

/// Version 13 of the schema: a session stores the release of the NVIDIA driver, such as `580.65.06`. The
/// column `driver_version` is only the version of CUDA that this driver supports, which several releases
/// share. The release of earlier sessions is unknown. An empty text does not enter the checksum, so theirs
/// stay as they are.
inline constexpr const char* kVersion13 =
    "ALTER TABLE session ADD COLUMN driver_release TEXT NOT NULL DEFAULT '';";

}  // namespace warptune::db::storage::schemas
