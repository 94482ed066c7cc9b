#pragma once

#include <string>

#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey.h"

namespace warptune::tuner::survey_page {

/// What the script of the page reads.
struct PageData {
  std::string
      json;  ///< An object: the run, tracks, labels, names, the analysis, and the sizes of the columns.
  /// Five columns, one after another. Their rows are the records of the first track in the order of their
  /// start, then those of the second track, and so on. All numbers are LEB128 (as in DWARF), without a sign:
  /// * `starts`, in nanoseconds: the difference to the start before it on the track, or, for a track's first
  ///   record, to the first start of all, which the JSON has;
  /// * `durations`, in nanoseconds;
  /// * `labels`: places in the JSON's `labels`, which say what a record is;
  /// * `bytes`, of copies and fills only;
  /// * `calls`, of streams' records only: 0 if the call is unknown. Otherwise 1 plus the zigzag code of the
  ///   difference between the call's row and that of the record before it on the track (at first, row 0).
  std::string columns;
};

PageData page_data(const survey::records::Survey& survey, const survey::analysis::SurveyAnalysis& analysis);

}  // namespace warptune::tuner::survey_page
