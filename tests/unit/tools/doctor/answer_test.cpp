// SPDX-License-Identifier: Apache-2.0
// The error words and return codes of NVML are states of a GPU, never values.
#include <cstdlib>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/probe/gather.hpp"
#include "tools/doctor/probe/loose.hpp"

namespace nettune::tools::doctor {
namespace {

TEST(DoctorAnswer, OneTableForCodesAndWords) {
  EXPECT_EQ(answer_of_code(0), Answer::value);
  EXPECT_EQ(answer_of_code(16), Answer::reset_required);
  EXPECT_EQ(answer_of_code(15), Answer::lost);
  EXPECT_EQ(answer_of_code(12345), Answer::error);
  for (const char* const word : {"N/A", "[N/A]", "[Not Supported]", "Function Not Found"})
    EXPECT_EQ(answer_of_word(word), Answer::not_supported) << word;
  for (const char* const word : {"Unknown Error", "[Unknown Error]", "ERR!"})
    EXPECT_EQ(answer_of_word(word), Answer::error) << word;
  EXPECT_EQ(answer_of_word("[GPU requires reset]"), Answer::reset_required);
  EXPECT_EQ(answer_of_word("GPU is lost.  Reboot the system to recover this GPU"), Answer::lost);
  EXPECT_EQ(answer_of_word("Insufficient Permissions"), Answer::no_permission);
  for (const char* const value : {"700.00 W", "Disabled", "NVIDIA H100", "P0", "0"})
    EXPECT_EQ(answer_of_word(value), Answer::value) << value;
}

std::map<std::string, std::string> answers(const Machine& machine) {
  Sightings sightings;
  observe_wear(machine, sightings);
  std::map<std::string, std::string> values;
  for (const facts::Observation& seen : sightings.take())
    if (seen.what == "gpu.answers") values[seen.device] = seen.value.value_or("-");
  return values;
}

std::string gpu_xml(const std::string& address, const std::string& state, const std::string& rows) {
  return cat("<gpu id=\"", address, "\"><product_name>X</product_name><performance_state>", state,
             "</performance_state><remapped_rows>", rows, "</remapped_rows></gpu>");
}

TEST(DoctorAnswer, AWordOfNvidiaSmiIsNoValue) {
  Machine machine;
  probe::take_smi_xml(cat("<nvidia_smi_log>", gpu_xml("00000000:19:00.0", "P0", "N/A"),
                          gpu_xml("00000000:29:00.0", "GPU requires reset", "GPU requires reset"),
                          gpu_xml("00000000:39:00.0", "Unknown Error", "N/A"), "</nvidia_smi_log>"),
                      machine);
  ASSERT_TRUE(machine.nvidia.gpus);
  const auto said = answers(machine);
  EXPECT_EQ(said.at("GPU 0000:19:00.0"), "yes");
  EXPECT_EQ(said.at("GPU 0000:29:00.0"), "reset required");
  EXPECT_EQ(said.at("GPU 0000:39:00.0"), "fewer");
  EXPECT_FALSE(machine.nvidia.gpus->at(2).performance_state);
  Machine none;
  probe::take_smi_xml("No devices were found\n", none);
  ASSERT_TRUE(none.nvidia.gpus);
  EXPECT_TRUE(none.nvidia.gpus->empty());
  Machine refused;
  probe::take_smi_xml(
      "Unable to determine the device handle for GPU0000:3B:00.0: GPU is lost.  Reboot it\n",
      refused);
  EXPECT_EQ(answers(refused).at("GPU 0000:3b:00.0"), "lost");
}

TEST(DoctorAnswer, AnyCallOfNvmlMaySayIt) {
  Nvidia nvidia;
  probe::parse_nvml(
      "gpu 00000000:19:00.0\nname X\nrefuses link-width reset required\n"
      "gpu unknown-1\nrefuses handle lost\ngpu 00000000:39:00.0\nname X\necc-corrected 4\n"
      "again 0\necc-corrected-later 0\nagain 1\necc-corrected-later 9\n",
      nvidia);
  ASSERT_TRUE(nvidia.gpus);
  EXPECT_EQ(nvidia.gpus->at(0).answer, Answer::reset_required);
  EXPECT_TRUE(nvidia.gpus->at(1).lost());
  EXPECT_EQ(nvidia.gpus->at(2).ecc_corrected_later, 9);
}

TEST(DoctorAnswer, ANumberBelowZeroIsNoValue) {
  Nvidia nvidia;
  probe::parse_nvml("gpu 00000000:19:00.0\necc-corrected -9223372036854775808\nnvlinks-up -7\n",
                    nvidia);
  ASSERT_TRUE(nvidia.gpus);
  EXPECT_FALSE(nvidia.gpus->front().ecc_corrected);
  EXPECT_FALSE(nvidia.gpus->front().nvlinks_up);
}

TEST(DoctorAnswer, WearIsReadFromTheXml) {
  Machine machine;
  probe::take_smi_xml(
      "<nvidia_smi_log><gpu id=\"00000000:19:00.0\"><retired_pages>"
      "<multiple_single_bit_retirement><retired_count>40</retired_count>"
      "</multiple_single_bit_retirement><double_bit_retirement><retired_count>21</retired_count>"
      "</double_bit_retirement></retired_pages><remapped_rows><row_remapper_histogram>"
      "<row_remapper_histogram_none>2 bank(s)</row_remapper_histogram_none>"
      "</row_remapper_histogram></remapped_rows></gpu></nvidia_smi_log>",
      machine);
  ASSERT_TRUE(machine.nvidia.gpus);
  EXPECT_EQ(machine.nvidia.gpus->front().retired_pages, 61);
  EXPECT_EQ(machine.nvidia.gpus->front().banks_without_rows, 2);
}

}  // namespace
}  // namespace nettune::tools::doctor
