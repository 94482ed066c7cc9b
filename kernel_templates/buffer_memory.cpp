#include "kernel_templates/buffer_memory.h"

#include <cstddef>

namespace warptune::kernel_templates {

const std::vector<std::string>& memory_names() {
  static const std::vector<std::string> names = {"device", "pinned", "pageable", "write_combined", "managed"};
  return names;
}

std::string to_string(Memory memory) { return memory_names().at(static_cast<std::size_t>(memory)); }

const std::vector<std::string>& page_place_names() {
  static const std::vector<std::string> names = {"device", "host"};
  return names;
}

const std::vector<std::string>& advised_place_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = page_place_names();
    all.emplace_back("none");
    return all;
  }();
  return names;
}

std::string to_string(PagePlace place) { return page_place_names().at(static_cast<std::size_t>(place)); }

}  // namespace warptune::kernel_templates
