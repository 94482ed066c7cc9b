#include "profiling/roofs/host_rates.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace warptune::profiling::roofs {
namespace {

model::RoofReading reading(const std::string& name, double value) {
  model::RoofReading reading;
  reading.name = name;
  reading.value = value;
  return reading;
}

TEST(HostRates, AreFoundByTheirNames) {
  for (const HostRate& rate : host_rates()) EXPECT_EQ(find_host_rate(rate.name), &rate);
  EXPECT_EQ(find_host_rate("copy"), nullptr);
  EXPECT_EQ(find_host_rate("launch")->unit, "s");
}

TEST(HostRates, OfTheLinkAreThoseOfPinnedCopies) {
  EXPECT_EQ(measured_host({}).link_bytes_per_s, std::nullopt);
  EXPECT_EQ(measured_host({reading("copy", 4e12), reading("host_to_device_pageable", 9e9)}).link_bytes_per_s,
            std::nullopt);
  const MeasuredHost measured =
      measured_host({reading("host_to_device_pinned", 54e9), reading("device_to_host_pinned", 55e9),
                     reading("launch", 2e-6)});
  EXPECT_EQ(measured.link_bytes_per_s, 55e9);
  EXPECT_EQ(measured.launch_s, 2e-6);
}

}  // namespace
}  // namespace warptune::profiling::roofs
