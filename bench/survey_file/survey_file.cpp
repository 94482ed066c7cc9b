// How large is the file of a survey, and how much CPU time do writing and reading it take? The survey is
// invented: each launch has its call, and some have copies, fills and ranges.
#include "survey/records/survey_file.h"

#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <vector>

#include "bench/spread.h"
#include "survey/records/survey.h"
#include "tests/survey/synthetic_survey.h"

namespace {

using namespace warptune;
namespace po = boost::program_options;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int count, char** words) {
  std::size_t launches = 0;
  int repeats = 0;
  std::string file;
  po::options_description options(
      "bench_survey_file: the file of an invented survey, its size and CPU times");
  options.add_options()("launches", po::value(&launches)->default_value(1'000'000), "launches of the survey")(
      "repeat", po::value(&repeats)->default_value(5), "how often it is written and read")(
      "keep", po::value(&file), "keep the file under this name")("help", "print this");
  po::variables_map given;
  po::store(po::parse_command_line(count, words, options), given);
  po::notify(given);
  if (given.count("help") > 0) {
    std::cout << options;
    return 0;
  }
  const std::filesystem::path path = file.empty()
                                         ? std::filesystem::temp_directory_path() / "bench.wtsurvey.zst"
                                         : std::filesystem::path(file);
  const survey::records::Survey survey = survey::testing::synthetic_survey(launches);
  std::vector<double> writing;
  std::vector<double> reading;
  bool same = true;
  for (int i = 0; i < repeats; ++i) {
    const double start = cpu_seconds();
    survey::records::write_survey(survey, path);
    const double middle = cpu_seconds();
    const survey::records::Survey read = survey::records::read_survey(path);
    reading.push_back(cpu_seconds() - middle);
    writing.push_back(middle - start);
    same = same && read == survey;
  }
  const std::size_t activities = survey.launches.size() + survey.copies.size() + survey.fills.size();
  fmt::print("{} launches, {} copies and fills, {} calls, {} ranges\n", survey.launches.size(),
             activities - survey.launches.size(), survey.calls.size(), survey.ranges.size());
  fmt::print("file: {:.2f} MB; {}\n", 1e-6 * static_cast<double>(std::filesystem::file_size(path)),
             same ? "read as it was written" : "NOT read as it was written");
  fmt::print("CPU time of {} runs: writing {} s, reading {} s\n", repeats, bench::spread_text(writing, 2),
             bench::spread_text(reading, 2));
  if (file.empty()) std::filesystem::remove(path);
  return same ? 0 : 1;
}
