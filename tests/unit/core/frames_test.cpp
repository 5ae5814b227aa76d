// SPDX-License-Identifier: Apache-2.0
#include "core/frames.hpp"

#include <gtest/gtest.h>
#include <random>

#include "core/transaction_codec.hpp"

namespace nettune::inline core {
namespace {

std::string three_frames() {
  return encode_frame("INTENT", 0, "0123456789abcdef", "format\t2\nid\t0123456789abcdef\n") +
         encode_frame("LATE", 1, "0123456789abcdef", "") +
         encode_frame("COMMIT", 2, "0123456789abcdef", "value\tlive:a\t=1\n");
}

TEST(CoreFrames, ComeBackAsTheyWere) {
  const std::string bytes = three_frames();
  const Frames frames = decode_frames(bytes);
  ASSERT_EQ(frames.frames.size(), 3U);
  EXPECT_EQ(frames.frames[2].type, "COMMIT");
  EXPECT_EQ(frames.frames[2].payload, "value\tlive:a\t=1\n");
  EXPECT_FALSE(frames.torn);
  EXPECT_FALSE(frames.corrupt);
}

TEST(CoreFrames, EveryCutIsATornLastRecord) {
  const std::string bytes = three_frames();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Frames frames = decode_frames(std::string_view(bytes).substr(0, size));
    EXPECT_FALSE(frames.corrupt) << size;
    EXPECT_LT(frames.frames.size(), 3U);
    EXPECT_LE(frames.size, size);
  }
}

TEST(CoreFrames, EveryFlippedBitIsFound) {
  const std::string bytes = three_frames();
  const std::size_t last = bytes.rfind("nettune-record");
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = bytes;
      bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
      const Frames frames = decode_frames(bad);
      EXPECT_LT(frames.frames.size(), 3U) << at;
      EXPECT_EQ(frames.corrupt.has_value(), at < last) << at;
    }
  }
}

TEST(CoreFrames, ZerosBehindTheLastRecordAreATornTail) {
  const std::string bytes = three_frames() + std::string(512, '\0');
  const Frames frames = decode_frames(bytes);
  EXPECT_EQ(frames.frames.size(), 3U);
  EXPECT_TRUE(frames.torn);
  EXPECT_FALSE(frames.corrupt);
}

TEST(CoreFrames, NoBytesMakeThemCrash) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = round % 2 == 0 ? three_frames() : std::string(random() % 200, 'n');
    for (int changes = 0; changes < 8 && !bytes.empty(); ++changes)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    static_cast<void>(decode_transaction(bytes));
  }
}

}  // namespace
}  // namespace nettune::inline core
