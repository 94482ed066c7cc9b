// One list of places decides which sessions may measure. Each session that measures or waits has a place. A
// session may measure if no earlier place of another owner (thread) has one of its GPUs. So the sessions on a
// GPU measure in the order of their arrival, and sessions on different GPUs measure at the same time.
#include "tuner/gpus/gpu_turn.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"

namespace warptune::tuner::gpus {

namespace {

using Place = GpuTurn::Place;

// How often a waiting session checks whether it is cancelled.
constexpr std::chrono::milliseconds kInterval{50};

}  // namespace

struct GpuTurn::Places {
  std::mutex mutex;
  std::condition_variable changed;
  std::list<Place> list;
};

namespace {

using Places = GpuTurn::Places;

Places*& places_pointer() {
  static Places* places = new Places;
  return places;
}

// Runs in a forked child. It must not allocate, because another thread may have held the lock of the heap
// when the process was forked.
void begin_with_no_places() {
  alignas(Places) static std::byte memory[sizeof(Places)];
  places_pointer() = new (memory) Places;
}

// The places of this process's sessions. A forked child has none of the threads that own a place, and one of
// those threads may have held the lock. So the child begins with an empty list.
Places& places() {
  static const int watched = (places_pointer(), ::pthread_atfork(nullptr, nullptr, begin_with_no_places));
  (void)watched;
  return *places_pointer();
}

// The owner of the calling thread's turns (`TurnsOf`); no value: the thread itself.
std::optional<std::thread::id>& represented() {
  thread_local std::optional<std::thread::id> owner;
  return owner;
}

bool share_a_gpu(const Place& one, const Place& other) {
  return std::ranges::any_of(one.ordinals, [&](int ordinal) {
    return std::ranges::find(other.ordinals, ordinal) != other.ordinals.end();
  });
}

// The owners of the places that `place` waits for.
std::vector<std::thread::id> waits_for(const std::list<Place>& list, const Place& place) {
  std::vector<std::thread::id> owners;
  for (const Place& earlier : list) {
    if (&earlier == &place) break;
    if (earlier.owner != place.owner && share_a_gpu(earlier, place)) owners.push_back(earlier.owner);
  }
  return owners;
}

// Whether an owner that `mine` waits for waits in turn for the owner of `mine`, directly or through others.
bool waits_for_itself(const std::list<Place>& list, const Place& mine) {
  std::vector<std::thread::id> open = waits_for(list, mine);
  std::set<std::thread::id> seen;
  while (!open.empty()) {
    const std::thread::id owner = open.back();
    open.pop_back();
    if (owner == mine.owner) return true;
    if (!seen.insert(owner).second) continue;
    for (const Place& place : list) {
      if (place.owner != owner) continue;
      const std::vector<std::thread::id> further = waits_for(list, place);
      open.insert(open.end(), further.begin(), further.end());
    }
  }
  return false;
}

// Where a new place belongs. If an outer session of the same owner has all of its GPUs, it comes right after
// that session. So sessions that wait for the outer session also wait for the inner one. Any other place
// comes last.
std::list<Place>::iterator position_for(std::list<Place>& list, const Place& place) {
  const auto has_its_gpus = [&](const Place& outer) {
    return outer.owner == place.owner && std::ranges::all_of(place.ordinals, [&](int ordinal) {
             return std::ranges::find(outer.ordinals, ordinal) != outer.ordinals.end();
           });
  };
  const auto last = std::find_if(list.rbegin(), list.rend(), has_its_gpus);
  return last == list.rend() ? list.end() : last.base();
}

}  // namespace

GpuTurn::GpuTurn(std::vector<int> ordinals, const base::Cancellation& cancellation) : places_(&places()) {
  Place place{represented().value_or(std::this_thread::get_id()), std::move(ordinals)};
  std::unique_lock lock(places_->mutex);
  std::list<Place>& list = places_->list;
  const auto position = position_for(list, place);
  place_ = list.insert(position, std::move(place));
  if (waits_for_itself(list, *place_)) {
    list.erase(place_);
    throw base::WorkError(
        "a session that began within another one would wait for a session that waits for the outer one");
  }
  while (!waits_for(list, *place_).empty() && !cancellation.is_cancelled())
    places_->changed.wait_for(lock, kInterval);
}

GpuTurn::~GpuTurn() {
  if (places_ != places_pointer()) return;  // A forked child has another list.
  {
    const std::lock_guard lock(places_->mutex);
    places_->list.erase(place_);
  }
  places_->changed.notify_all();
}

TurnsOf::TurnsOf(std::thread::id owner) { represented() = owner; }
TurnsOf::~TurnsOf() { represented().reset(); }

}  // namespace warptune::tuner::gpus
