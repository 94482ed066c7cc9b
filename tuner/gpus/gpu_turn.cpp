// Who may measure is decided by one list of places. A session may measure if no earlier place of another
// owner has one of its GPUs. So sessions come in the order of their arrival, and those on different GPUs
// measure at the same time.
#include "tuner/gpus/gpu_turn.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

namespace warptune::tuner::gpus {

namespace {

using Place = GpuTurn::Place;

constexpr std::chrono::milliseconds kInterval{
    50};  // How often a waiting session looks whether it is cancelled.

struct Places {
  std::mutex mutex;
  std::condition_variable changed;
  std::list<Place> list;
};

Places*& places_pointer() {
  static Places* places = new Places;
  return places;
}

// The sessions of this process. A child that is forked has none of the threads that have a place, and one of
// them may hold the lock. So the child begins with an empty list.
Places& places() {
  static const int watched = ::pthread_atfork(nullptr, nullptr, [] { places_pointer() = new Places; });
  (void)watched;
  return *places_pointer();
}

std::optional<std::thread::id>& represented() {
  thread_local std::optional<std::thread::id> owner;
  return owner;
}

bool share_a_gpu(const Place& one, const Place& other) {
  return std::ranges::any_of(one.ordinals, [&](int ordinal) {
    return std::ranges::find(other.ordinals, ordinal) != other.ordinals.end();
  });
}

bool is_its_turn(const std::list<Place>& list, std::list<Place>::const_iterator mine) {
  return std::none_of(list.begin(), mine, [&](const Place& earlier) {
    return earlier.owner != mine->owner && share_a_gpu(earlier, *mine);
  });
}

// The end of the list, or the place after the owner's last one: those who wait for that one also wait for
// what begins within it.
std::list<Place>::iterator position_for(std::list<Place>& list, std::thread::id owner) {
  const auto last =
      std::find_if(list.rbegin(), list.rend(), [&](const Place& place) { return place.owner == owner; });
  return last == list.rend() ? list.end() : last.base();
}

}  // namespace

GpuTurn::GpuTurn(std::vector<int> ordinals, const base::Cancellation& cancellation) {
  const std::thread::id owner = represented().value_or(std::this_thread::get_id());
  Places& all = places();
  std::unique_lock lock(all.mutex);
  place_ = all.list.insert(position_for(all.list, owner), {owner, std::move(ordinals)});
  while (!is_its_turn(all.list, place_) && !cancellation.is_cancelled())
    all.changed.wait_for(lock, kInterval);
}

GpuTurn::~GpuTurn() {
  Places& all = places();
  {
    const std::lock_guard lock(all.mutex);
    all.list.erase(place_);
  }
  all.changed.notify_all();
}

TurnsOf::TurnsOf(std::thread::id owner) { represented() = owner; }
TurnsOf::~TurnsOf() { represented().reset(); }

}  // namespace warptune::tuner::gpus
