#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernel_templates/data_type.h"
#include "kernel_templates/host_program.h"
#include "kernel_templates/read_scope.h"
#include "model/expression.h"
#include "model/measurement.h"
#include "model/parameter.h"
#include "model/value.h"

namespace warptune::kernel_templates {

enum class InitialiserKind { kUniform, kNormal, kIota, kConstant, kFile, kExpression, kOffsets };

/// How an argument's first contents come about.
struct Initialiser {
  InitialiserKind kind = InitialiserKind::kUniform;
  std::uint64_t seed = 0;      ///< 0: derived from the argument's place.
  double first = 0.0;          ///< low, mean, start or value.
  double second = 1.0;         ///< high, deviation or step.
  std::filesystem::path path;  ///< kFile: `.npy`, else raw little-endian elements.
  /// kExpression: an element, kOffsets: how far apart an element and its next are, in parts of all; over `i`
  /// (the element's index), `u` (a variate of its own, uniform in [0, 1)) and the problem.
  std::optional<model::Expression> value;
  std::optional<model::Expression> total;  ///< kOffsets: the last element; the first is 0.
};

enum class ArgumentKind { kIn, kOut, kInOut, kScratch, kScalar, kTensorMap, kTexture };
/// Whether memory is allocated for it.
constexpr bool is_buffer(ArgumentKind kind) {
  return kind != ArgumentKind::kScalar && kind != ArgumentKind::kTensorMap && kind != ArgumentKind::kTexture;
}

/// A tiled view of a buffer for the tensor memory accelerator (CUDA driver API, cuTensorMapEncodeTiled).
struct TensorMap {
  std::string of;                        ///< The buffer argument.
  std::vector<model::Expression> shape;  ///< Elements, innermost dimension first; 2 to 5 dimensions.
  std::vector<model::Expression> pitch;  ///< Elements from row to row, plane to plane, ...; empty: packed.
  std::vector<model::Expression> box;    ///< Elements a copy moves; may depend on parameters.
  std::optional<model::Expression> swizzle;  ///< Bytes: 0, 32, 64 or 128.
  std::optional<model::Expression> when;     ///< Where it does not hold, the kernel gets 128 zero bytes.
};

/// A buffer read through the texture units by a `cudaTextureObject_t` (CUDA C++ Programming Guide, "Texture
/// Object API"), elements as they are, coordinates not normalised.
struct Texture {
  std::string of;                           ///< The buffer argument, an `in`.
  std::optional<model::Expression> width;   ///< Elements of a row; nothing: one-dimensional, all elements.
  std::optional<model::Expression> height;  ///< Rows.
  std::optional<model::Expression> pitch;   ///< Elements from row to row; nothing: packed.
  bool linear = false;                      ///< Between elements, else the nearest.
  bool border = false;                      ///< Zero outside of the rows, else the nearest inside.
};

struct Argument {
  std::string name;
  ArgumentKind kind = ArgumentKind::kIn;
  std::string
      type;  ///< A data type or a problem entry that names one; of a tensor map or texture, its buffer's.
  std::optional<model::Expression> count;  ///< Buffers: elements.
  std::optional<model::Expression> value;  ///< Scalars.
  Initialiser init;
  bool zeroed = false;                  ///< Scratch: zeroed before each launch.
  std::optional<TensorMap> tensor_map;  ///< kTensorMap.
  std::optional<Texture> texture;       ///< kTexture.
  /// kIn: the variable of the program that gets the contents; empty: kernels are passed the buffer.
  std::string symbol;
  /// Buffers: where they lie, "device", "pinned" or "pageable"; nothing: "device". Over parameters, too.
  std::optional<model::Expression> memory;
  base::SourcePosition position;

  bool is_buffer() const { return kernel_templates::is_buffer(kind); }
};

enum class ReferenceKind { kNone, kEntry, kConfiguration, kExpression };

struct Check {
  ReferenceKind reference = ReferenceKind::kNone;
  Launch launch;                     ///< kEntry.
  model::NamedValues configuration;  ///< kConfiguration.
  std::vector<std::pair<std::string, std::string>>
      expressions;  ///< kExpression: output argument -> CUDA expression.
  std::optional<model::Expression> absolute;
  std::optional<model::Expression> relative;
  /// Where it holds, results may differ from launch to launch, within the tolerance.
  std::optional<model::Expression> nondeterministic;
};

/// When a parameter matters. Where it does not, it is fixed, so that no two configurations differ in it
/// alone.
struct ParameterCondition {
  std::string parameter;
  model::Expression when;
  model::Value otherwise;
};

struct Variant {
  std::string name;
  std::string entry;
  std::filesystem::path source;
};

/// A kernel definition as written, checked for form: every expression parsed, every name known.
struct KernelDefinition {
  std::string name;
  std::string description;
  std::string about;             ///< Markdown paragraphs for the kernel's page.
  std::string vendor;            ///< The library call that does the same, where there is one.
  std::filesystem::path path;    ///< The file that was read.
  ReadScope scope;               ///< What it may read.
  std::filesystem::path source;  ///< The `.cu`.
  std::string entry;
  std::string language = "c++17";
  std::vector<std::string> flags;
  std::vector<base::SourcePosition> flag_positions;  ///< Of each of them.
  std::vector<std::string> flag_folders;             ///< Include folders that the flags name.
  std::vector<std::string> libraries;  ///< Device libraries of the toolkit that the code is linked with.
  bool architecture_specific = false;  ///< Compiled for sm_90a instead of sm_90, and so on.
  std::vector<std::filesystem::path> include_folders;
  std::vector<std::pair<std::string, model::Expression>> defines;
  model::NamedValues problem;
  std::vector<std::pair<std::string, std::string>> problem_descriptions;  ///< Of entries that have one.
  std::vector<std::pair<std::string, std::vector<model::Value>>> problem_values;
  std::vector<model::Parameter> parameters;  ///< With VARIANT first when there are variants.
  std::vector<ParameterCondition> parameter_conditions;
  std::vector<model::Constraint> constraints;  ///< Those written, then one for each parameter condition.
  model::NamedValues default_configuration;
  Launch launch;  ///< Not where there is a host program.
  std::vector<Launch> before;
  std::vector<Launch> after;
  std::optional<HostProgram> host;  ///< In place of the launches.
  std::vector<Argument> arguments;
  Check check;
  std::optional<model::Expression> flops;
  std::optional<model::Expression> bytes;
  model::ArithmeticUnit unit = model::ArithmeticUnit::kFp32;  ///< What does `flops`.
  base::SourcePosition work_position;                         ///< Of `[work]`.
  std::vector<Variant> variants;
  std::string
      hash;  ///< Key: sources with their include closure, and the description without [problem]'s values.
};

/// Reads a definition. Throws `base::InputError` with file:line:column on malformed TOML, unknown keys (with
/// the nearest known), wrong types, expressions that do not parse or name nothing known, a missing source,
/// compiler options that no definition may give, and anything that it would read outside of its own folder
/// and of `granted`, folders that the user allows (`ReadScope`).
KernelDefinition load_kernel_definition(const std::filesystem::path& path,
                                        const std::vector<std::filesystem::path>& granted = {});

}  // namespace warptune::kernel_templates
