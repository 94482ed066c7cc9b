#pragma once

#include <string>
#include <vector>

#include "tuner/cli/options.h"
#include "tuner/report_subject.h"

namespace warptune::tuner::cli {

/// The subjects of `warptune report`: a recording for each argument that is an existing file and no kernel
/// definition; for any other all that the database knows of that kernel as its source is now, restricted by
/// `--size`, `--gpu` and `--cache` where they are given; without arguments everything the database knows. The
/// newest first. Throws `base::InputError` where an argument is neither, `base::WorkError` where nothing is
/// known of it.
std::vector<ReportSubject> report_subjects(const Options& options);

}  // namespace warptune::tuner::cli
