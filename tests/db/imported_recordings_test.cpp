#include <gmock/gmock.h>
TEST(Placeholder, Builds) {}
