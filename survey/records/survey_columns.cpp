#include "survey/records/survey_columns.h"

namespace warptune::survey::records {

using columns::along;
using columns::index;
using columns::plain;
using columns::summed;

namespace {

// The largest number of each enumeration.
constexpr auto kLastMemory = static_cast<std::int64_t>(MemoryKind::kManagedStatic);
constexpr auto kLastDirection = static_cast<std::int64_t>(CopyDirection::kPeerToPeer);
constexpr auto kLastCall = static_cast<std::int64_t>(CallKind::kOther);

constexpr Column<Stream> kStreamColumns[] = {
    index<Stream, &Stream::process>("process", Table::kProcesses),
    index<Stream, &Stream::device>("device", Table::kDevices),
    plain<Stream, &Stream::context>("context"),
    plain<Stream, &Stream::number>("number"),
    plain<Stream, &Stream::is_default>("is_default", 1),
};

using Shape = KernelShape;
constexpr Column<Shape> kShapeColumns[] = {
    index<Shape, &Shape::name>("name", Table::kNames),
    along<Shape, &Shape::grid, 0>("grid_x"),
    along<Shape, &Shape::grid, 1>("grid_y"),
    along<Shape, &Shape::grid, 2>("grid_z"),
    along<Shape, &Shape::block, 0>("block_x"),
    along<Shape, &Shape::block, 1>("block_y"),
    along<Shape, &Shape::block, 2>("block_z"),
    plain<Shape, &Shape::registers>("registers"),
    plain<Shape, &Shape::static_shared>("static_shared"),
    plain<Shape, &Shape::dynamic_shared>("dynamic_shared"),
    plain<Shape, &Shape::local_bytes>("local_bytes"),
    along<Shape, &Shape::cluster, 0>("cluster_x"),
    along<Shape, &Shape::cluster, 1>("cluster_y"),
    along<Shape, &Shape::cluster, 2>("cluster_z"),
};

constexpr Column<Launch> kLaunchColumns[] = {
    columns::start<Launch>(),
    columns::duration<Launch>(),
    index<Launch, &Launch::stream>("stream", Table::kStreams),
    columns::call<Launch>(),
    plain<Launch, &Launch::graph>("graph"),
    index<Launch, &Launch::shape>("shape", Table::kShapes),
};

constexpr Column<Copy> kCopyColumns[] = {
    columns::start<Copy>(),
    columns::duration<Copy>(),
    index<Copy, &Copy::stream>("stream", Table::kStreams),
    columns::call<Copy>(),
    plain<Copy, &Copy::graph>("graph"),
    summed<Copy, &Copy::bytes>("bytes"),
    plain<Copy, &Copy::direction>("direction", kLastDirection),
    plain<Copy, &Copy::source>("source", kLastMemory),
    plain<Copy, &Copy::destination>("destination", kLastMemory),
    plain<Copy, &Copy::asynchronous>("asynchronous", 1),
};

constexpr Column<Fill> kFillColumns[] = {
    columns::start<Fill>(),
    columns::duration<Fill>(),
    index<Fill, &Fill::stream>("stream", Table::kStreams),
    columns::call<Fill>(),
    plain<Fill, &Fill::graph>("graph"),
    summed<Fill, &Fill::bytes>("bytes"),
    plain<Fill, &Fill::destination>("destination", kLastMemory),
};

constexpr Column<Call> kCallColumns[] = {
    columns::start<Call>(),
    columns::duration<Call>(),
    index<Call, &Call::process>("process", Table::kProcesses),
    plain<Call, &Call::thread>("thread"),
    index<Call, &Call::name>("name", Table::kNames),
    plain<Call, &Call::kind>("kind", kLastCall),
};

constexpr Column<Range> kRangeColumns[] = {
    columns::start<Range>(),
    columns::duration<Range>(),
    index<Range, &Range::process>("process", Table::kProcesses),
    plain<Range, &Range::thread>("thread"),
    index<Range, &Range::name>("name", Table::kNames),
};

using Unlisted = UnlistedLaunches;
constexpr Column<Unlisted> kUnlistedColumns[] = {
    index<Unlisted, &Unlisted::process>("process", Table::kProcesses),
    index<Unlisted, &Unlisted::shape>("shape", Table::kShapes),
    summed<Unlisted, &Unlisted::count>("count"),
    summed<Unlisted, &Unlisted::duration>("duration"),
};

}  // namespace

template <>
std::span<const Column<Stream>> columns_of() {
  return kStreamColumns;
}
template <>
std::span<const Column<KernelShape>> columns_of() {
  return kShapeColumns;
}
template <>
std::span<const Column<Launch>> columns_of() {
  return kLaunchColumns;
}
template <>
std::span<const Column<Copy>> columns_of() {
  return kCopyColumns;
}
template <>
std::span<const Column<Fill>> columns_of() {
  return kFillColumns;
}
template <>
std::span<const Column<Call>> columns_of() {
  return kCallColumns;
}
template <>
std::span<const Column<Range>> columns_of() {
  return kRangeColumns;
}
template <>
std::span<const Column<UnlistedLaunches>> columns_of() {
  return kUnlistedColumns;
}

}  // namespace warptune::survey::records
