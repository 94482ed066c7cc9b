#include <algorithm>
#include <string>
#include <vector>

#include "tuner/exporting/cuda_file.h"
#include "tuner/exporting/kernel_export.h"
#include "tuner/exporting/recommended_tables.h"
#include "tuner/json_output/winners_json.h"

namespace warptune::tuner::exporting {

namespace {

ExportFormat from_winners(const db::ExportFormat& format) {
  return {std::string(format.name), std::string(format.summary),
          [write = format.write](const std::vector<KernelExport>& kernels) {
            std::vector<db::ExportInput> inputs;
            inputs.reserve(kernels.size());
            for (const KernelExport& kernel : kernels) inputs.push_back(kernel.input);
            return write(inputs);
          },
          format.name == "header"};
}

std::vector<ExportFormat> made_formats() {
  std::vector<ExportFormat> formats;
  for (const db::ExportFormat& format : db::export_formats()) formats.push_back(from_winners(format));
  formats.insert(formats.begin() + 1,
                 {"cuda", "C++17 file with the kernels and the code that launches them, for nvcc and NVRTC",
                  cuda_file, true});
  formats.push_back(from_winners(json_output::winners_format()));
  formats.push_back(recommended_format());
  return formats;
}

}  // namespace

const std::vector<ExportFormat>& export_formats() {
  static const std::vector<ExportFormat> kFormats = made_formats();
  return kFormats;
}

}  // namespace warptune::tuner::exporting
