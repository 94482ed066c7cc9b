#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernel_templates/data_type.h"
#include "kernel_templates/given_contents.h"
#include "kernel_templates/host_program.h"
#include "kernel_templates/read_scope.h"
#include "model/expression.h"
#include "model/measurement.h"
#include "model/parameter.h"
#include "model/value.h"

namespace warptune::kernel_templates {

enum class InitialiserKind { kUniform, kNormal, kIota, kConstant, kFile, kExpression, kOffsets };

/// How the initial contents of an argument are generated.
struct Initialiser {
  InitialiserKind kind = InitialiserKind::kUniform;
  std::uint64_t seed = 0;      ///< 0 means that it is derived from the argument's index.
  double first = 0.0;          ///< The lower limit, mean, start or value.
  double second = 1.0;         ///< The upper limit, deviation or step.
  std::filesystem::path path;  ///< kFile: a `.npy` file, or a file of raw little-endian elements.
  /// For kExpression: the value of an element. For kOffsets: the weight of the difference between an element
  /// and the next one. The expression may use `i` (the element's index), `u` (a uniform variate in [0, 1) for
  /// this element) and the problem.
  std::optional<model::Expression> value;
  std::optional<model::Expression> total;  ///< kOffsets: the value of the last element; the first one is 0.
};

enum class ArgumentKind { kIn, kOut, kInOut, kScratch, kScalar, kTensorMap, kTexture };
/// Whether memory is allocated for an argument of this kind.
constexpr bool is_buffer(ArgumentKind kind) {
  return kind != ArgumentKind::kScalar && kind != ArgumentKind::kTensorMap && kind != ArgumentKind::kTexture;
}

/// A tiled view of a buffer for the tensor memory accelerator (CUDA driver API, cuTensorMapEncodeTiled).
struct TensorMap {
  std::string of;                        ///< The buffer argument.
  std::vector<model::Expression> shape;  ///< Elements, innermost dimension first; 2 to 5 dimensions.
  std::vector<model::Expression> pitch;  ///< The distances of rows, planes, ... in elements; empty if packed.
  std::vector<model::Expression> box;    ///< The elements that one copy moves. May depend on parameters.
  std::optional<model::Expression> swizzle;  ///< In bytes: 0, 32, 64 or 128.
  std::optional<model::Expression> when;     ///< If it does not hold, the kernel gets 128 zero bytes.
};

/// A buffer that is read through the texture units by a `cudaTextureObject_t` (CUDA C++ Programming Guide,
/// "Texture Object API"). Elements are read without conversion, and coordinates are not normalised.
struct Texture {
  std::string of;                           ///< The buffer argument, of kind `in`.
  std::optional<model::Expression> width;   ///< Elements of a row; no value means one dimension.
  std::optional<model::Expression> height;  ///< Rows.
  std::optional<model::Expression> pitch;   ///< The distance of rows in elements; no value means packed.
  bool linear = false;  ///< Interpolate between elements instead of taking the nearest one.
  bool border = false;  ///< Outside, elements are zero instead of the nearest one inside.
};

/// What is known about the pages of a buffer while it is in managed memory (CUDA driver API,
/// cuMemPrefetchAsync and cuMemAdvise). All may depend on parameters.
struct ManagedMemory {
  /// Where every launch, or every run of a host program, finds the pages: "device" (also if missing) or
  /// "host".
  std::optional<model::Expression> residency;
  std::optional<model::Expression> read_mostly;         ///< A condition.
  std::optional<model::Expression> preferred_location;  ///< "device", "host", or "none" (also if missing).
  std::optional<model::Expression> accessed_by;         ///< As `preferred_location`.
};

struct Argument {
  std::string name;
  ArgumentKind kind = ArgumentKind::kIn;
  /// A data type, or a problem entry that names one. A tensor map or texture has its buffer's type.
  std::string type;
  std::optional<model::Expression> count;  ///< The number of elements of a buffer.
  std::optional<model::Expression> value;  ///< The value of a scalar.
  Initialiser init;
  bool zeroed = false;                  ///< Scratch buffers: set to zero before each launch.
  std::optional<TensorMap> tensor_map;  ///< kTensorMap.
  std::optional<Texture> texture;       ///< kTexture.
  /// kIn: the variable of the program that gets the contents. If it is empty, the buffer is passed to the
  /// kernels.
  std::string symbol;
  /// For buffers: where the memory is, one of `memory_names`. No value means "device". May depend on
  /// parameters.
  std::optional<model::Expression> memory;
  ManagedMemory managed;  ///< Used where `memory` is "managed".
  /// For buffers with padded rows: the elements of a row.
  std::optional<model::Expression> width;
  /// For buffers with padded rows: the elements from row to row. May depend on parameters.
  std::optional<model::Expression> pitch;
  base::SourcePosition position;

  bool is_buffer() const { return kernel_templates::is_buffer(kind); }
};

/// `kFile`: files of the definition have the right outputs. `kGiven`: a program gives the right outputs.
/// `kJudged`: a program says which outputs are right. A definition that is read from a file has neither of
/// the last two.
enum class ReferenceKind { kNone, kEntry, kConfiguration, kExpression, kFile, kGiven, kJudged };

/// Sizes and a seed for which a definition wants its kernel to be checked.
struct CheckCase {
  model::NamedValues sizes;  ///< Entries of the problem that replace the definition's.
  std::uint64_t seed = 1;    ///< The seed of the input data.
  base::SourcePosition position;
};

/// How outputs are verified. An element x equals the reference r if |x - r| <= absolute + relative |r|.
struct Check {
  ReferenceKind reference = ReferenceKind::kNone;
  base::SourcePosition position;     ///< The position of `expression`, or else of `[check]`.
  Launch launch;                     ///< kEntry.
  std::filesystem::path source;      ///< kEntry: the file that has the entry.
  model::NamedValues configuration;  ///< kConfiguration.
  std::vector<std::pair<std::string, std::string>>
      expressions;  ///< kExpression: output argument -> CUDA expression.
  /// kFile: output argument -> the file with its right elements for the sizes of `[problem]`, in the form of
  /// `Initialiser::path`.
  std::vector<std::pair<std::string, std::filesystem::path>> files;
  std::optional<model::Expression> absolute;
  std::optional<model::Expression> relative;
  /// If it holds, results may differ from launch to launch, within the tolerance.
  std::optional<model::Expression> nondeterministic;
  std::vector<CheckCase> cases;  ///< Checked in addition to the problem's own sizes.
};

/// The condition under which a parameter has an effect. If it does not hold, the parameter has the value
/// `otherwise`, so that no two configurations differ in this parameter alone.
struct ParameterCondition {
  std::string parameter;
  model::Expression when;
  model::Value otherwise;
};

/// A configuration that the author of a definition recommends for some sizes and GPUs.
struct Recommendation {
  model::Expression when;     ///< Names the problem and the device only. It is "true" if none is written.
  model::NamedValues values;  ///< The default's, replaced by those that are written.
  base::SourcePosition position;
  /// A number over the names that `when` may use; lower is better. Recommendations that follow each other and
  /// all have a cost are a group: the cheapest that holds is preferred.
  std::optional<model::Expression> cost{};
};

/// One of several kernels that compute the same. The parameter VARIANT chooses between them.
struct Variant {
  std::string name;
  std::string entry;
  base::SourcePosition position;  ///< The position of `entry`, or else of `[[variant]]`.
  std::filesystem::path source;
};

/// A kernel definition as it is written. Its form is checked: every expression is parsed, and every name is
/// known.
struct KernelDefinition {
  std::string name;
  base::SourcePosition position;  ///< The position of `[kernel]`.
  std::string description;
  std::string about;             ///< Markdown paragraphs for the kernel's page.
  std::string vendor;            ///< The library call that computes the same, if one exists.
  std::filesystem::path path;    ///< The file that was read.
  ReadScope scope;               ///< The files that the definition may read.
  std::filesystem::path source;  ///< The `.cu`.
  std::string entry;
  base::SourcePosition entry_position;  ///< The position of `entry`, or else of `[kernel]`.
  std::string language = "c++17";
  std::string compiler;                    ///< `kNvcc`, or empty for NVRTC.
  base::SourcePosition compiler_position;  ///< The position of the key `compiler`, if there is one.
  std::vector<std::string> flags;
  std::vector<base::SourcePosition> flag_positions;  ///< The position of each flag.
  std::vector<std::string> flag_folders;             ///< The include folders that the flags name.
  std::vector<std::string> libraries;  ///< The toolkit's device libraries that the code is linked with.
  bool architecture_specific = false;  ///< Compiled for sm_90a instead of sm_90, and so on.
  std::vector<std::filesystem::path> include_folders;
  std::vector<std::pair<std::string, model::Expression>> defines;
  /// Names of `defines` that only choose faster code: with any of their values it is right for every problem.
  std::vector<std::string> hints;
  model::NamedValues problem;
  std::vector<base::SourcePosition> problem_positions;  ///< The position of each entry of the problem.
  std::vector<std::pair<std::string, std::string>> problem_descriptions;  ///< Only of entries that have one.
  /// The allowed values of those entries that are restricted to a list.
  std::vector<std::pair<std::string, std::vector<model::Value>>> problem_values;
  std::vector<model::Parameter> parameters;  ///< If there are variants, VARIANT is the first parameter.
  std::vector<ParameterCondition> parameter_conditions;
  std::vector<model::Constraint>
      constraints;  ///< As written, followed by one for each parameter with a condition.
  model::NamedValues default_configuration;
  /// `resolution::valid_recommendations` says which one is recommended. They are not a part of the hash.
  std::vector<Recommendation> recommendations;
  /// The files that `[kernel] recommended` names, here and in the definitions that this one extends.
  std::vector<std::filesystem::path> recommended_files;
  Launch launch;  ///< Not used if there is a host program.
  std::vector<Launch> before;
  std::vector<Launch> after;
  std::optional<HostProgram> host;  ///< Replaces the launches.
  std::vector<Argument> arguments;
  Check check;
  std::optional<model::Expression> flops;
  std::optional<model::Expression> bytes;
  model::ArithmeticUnit unit = model::ArithmeticUnit::kFp32;  ///< The unit that executes `flops`.
  base::SourcePosition work_position;                         ///< The position of `[work]`.
  std::vector<Variant> variants;
  /// What `use_given_contents` was given. It is not a part of the definition's hash.
  std::vector<GivenContents> given;
  /// The key of stored results: a hash of the sources with their included files, and of the description
  /// without the values of [problem].
  std::string hash;
  /// A hash of the description alone: everything that `hash` covers except the sources and the names of
  /// functions. Definitions with equal forms have the same space, and launch their code in the same way.
  std::string form;
};

/// Reads a definition. The definition may refer only to files in its own folder and below, and to those that
/// the user allows with `permissions` (`ReadScope`). Throws `base::InputError` with file:line:column in these
/// cases:
/// * The TOML is malformed, has unknown keys (the message has the nearest known one) or wrong types.
/// * An expression cannot be parsed, or it uses an unknown name.
/// * The source is missing, or a file is outside of the allowed folders.
/// * The file of recommendations is missing, too large, or has anything but `[[recommended]]` tables.
/// * A compiler option is not allowed in definitions.
KernelDefinition load_kernel_definition(const std::filesystem::path& path,
                                        const Permissions& permissions = {});

}  // namespace warptune::kernel_templates
