#include "kernel_templates/data_type.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

namespace warptune::kernel_templates {
namespace {

TEST(DataTypes, AreFoundByTheirNames) {
  for (const DataTypeInfo& row : data_types()) EXPECT_EQ(parse_data_type(row.name), row.type) << row.name;
}

TEST(DataTypes, StandInTheOrderOfTheEnumeration) {
  for (std::size_t i = 0; i < data_types().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(data_types()[i].type), i);
    EXPECT_EQ(info(data_types()[i].type).name, data_types()[i].name);
  }
}

TEST(DataTypes, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  std::set<std::string_view> cuda_names;
  for (const DataTypeInfo& row : data_types()) {
    names.insert(row.name);
    cuda_names.insert(row.cuda_name);
  }
  EXPECT_EQ(names.size(), data_types().size());
  EXPECT_EQ(cuda_names.size(), data_types().size());
}

TEST(DataTypes, SayTheirBitsSignAndKindInTheirNames) {
  for (const DataTypeInfo& row : data_types()) {
    const std::string name(row.name);
    const std::size_t digit = name.find_first_of("0123456789");
    ASSERT_NE(digit, std::string::npos) << name;
    EXPECT_EQ(row.size_bytes * 8, std::stoul(name.substr(digit))) << name;
    EXPECT_EQ(row.floating, name.find('f') != std::string::npos) << name;
    EXPECT_EQ(row.is_signed, name.front() != 'u') << name;
  }
}

TEST(DataTypes, HaveTheCudaNamesOfTheDocumentation) {
  EXPECT_EQ(info(DataType::kF16).cuda_name, "__half");
  EXPECT_EQ(info(DataType::kBf16).cuda_name, "__nv_bfloat16");
  EXPECT_EQ(info(DataType::kF32).cuda_name, "float");
  EXPECT_EQ(info(DataType::kF64).cuda_name, "double");
  EXPECT_EQ(info(DataType::kI8).cuda_name, "signed char");
  EXPECT_EQ(info(DataType::kI64).cuda_name, "long long");
  EXPECT_EQ(info(DataType::kU16).cuda_name, "unsigned short");
  EXPECT_EQ(info(DataType::kU64).cuda_name, "unsigned long long");
}

TEST(DataTypes, AreNotFoundByAnythingElse) {
  for (const char* name : {"", "f", "F32", "float", "f32 ", "i128"}) {
    EXPECT_EQ(parse_data_type(name), std::nullopt) << "'" << name << "'";
  }
}

}  // namespace
}  // namespace warptune::kernel_templates
