// SPDX-License-Identifier: Apache-2.0
//
// Tables and lists of ranks of nccl-tests in a log (NVIDIA/nccl-tests, src/common.cu): of several
// tests, cut, without a heading.

#include <gtest/gtest.h>

#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log {
namespace {

const char* const kNewHead =
    "#       size         count      type   redop    root     time   algbw   busbw  #wrong     "
    "time   algbw   busbw  #wrong\n";
const char* const kOldHead =
    "#       size         count      type   redop     time   algbw   busbw  error     time   "
    "algbw   busbw  error\n";

std::string remarks_in(const std::string& text) { return join(Case(text).verdict.remarks, "\n"); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// A row of which the in-place half is `rest`.
std::string row(std::uint64_t size, const char* time, const char* busbw, const char* rest) {
  return cat("  ", size, "  ", size / 4, "     float     sum      -1  ", time, "  ", busbw, "  ",
             busbw, "      0  ", rest, "\n");
}

std::string rank_line(int rank, int pid, const char* host, const char* device) {
  return cat("#  Rank  ", rank, " Group  0 Pid  ", pid, " on      ", host, " device  ", device,
             " NVIDIA GeForce RTX 5090\n");
}

/// NVIDIA/nccl-tests issue 214 and ROCm/rccl issue 1490: a text that ends in the last row.
TEST(NcclLogTestsListing, ARowThatIsCut) {
  const std::string begin = kNewHead + row(4096, "30.74", "0.13", "30.69  0.13  0.13  0");
  // The out-of-place half is whole; of the other one a number may be cut.
  const std::string cut = remarks_in(begin + row(8192, "31.76", "0.26", "31.59  0.27  0."));
  EXPECT_TRUE(has(cut, "busbw up to 0.26 GB/s (out of place, 8192 bytes) in 2 rows")) << cut;
  // Here it is the number of wrong values that ends the text.
  const std::string at_end =
      remarks_in(begin + "  8192  2048     float     sum      -1  31.76  0.26  0.26      0\n");
  EXPECT_TRUE(has(at_end, "busbw up to 0.13 GB/s (out of place, 4096 bytes) in 1 row,")) << at_end;
  // And here a line that is in the middle of the text.
  EXPECT_TRUE(has(remarks_in(begin + row(8192, "31.76", "0.26", "31.59") +
                             row(16384, "33.10", "0.49", "33.0  0.50  0.50  0")),
                  "busbw up to 0.50 GB/s (in place, 16384 bytes) in 3 rows"));
}

/// Where values were not checked in place (NVIDIA/nccl-tests issue 214), or nowhere ("-c 0").
TEST(NcclLogTestsListing, WhatWasNotChecked) {
  const auto rest = [](const char* wrong) { return cat("30.69  0.13  0.13  ", wrong); };
  const std::string head = kNewHead;
  const auto of = [&](const char* first, const char* second) {
    return remarks_in(head + "  4096  1024  float  sum  -1  30.74  0.13  0.13  " + first + "  " +
                      rest(second) + "\n");
  };
  EXPECT_TRUE(of("0", "0").ends_with("in 1 row, none with wrong values")) << of("0", "0");
  EXPECT_TRUE(of("0", "N/A").ends_with("in 1 row, none with wrong values out of place"));
  EXPECT_TRUE(of("N/A", "N/A").ends_with("in 1 row, whose values were not checked"));
  EXPECT_TRUE(of("3", "N/A").ends_with("in 1 row, some with wrong values"));
  EXPECT_TRUE(of("3", "3").ends_with("in 1 row, some with wrong values"));
  const std::string cut = "  8192  2048  float  sum  -1  31.76  0.26  0.26  0  31.59  0.2\n";
  EXPECT_TRUE(remarks_in(head +
                         "  4096  1024  float  sum  -1  30.74  0.13  0.13  3  30.69  0.13  "
                         "0.13  0\n" +
                         cut)
                  .ends_with("in 2 rows, some with wrong values"));
  EXPECT_TRUE(of("0", "3").ends_with("wrong values in place, none with wrong values out of place"));
  EXPECT_TRUE(of("N/A", "0").ends_with("in 1 row, of which not all values were checked"));
}

/// NVIDIA/nccl-tests issue 78: two tests, the latter without an operation. Its error of 1 in place
/// is no number of wrong values.
TEST(NcclLogTestsListing, SeveralTests) {
  const std::string two =
      cat("$ mpirun -np 64 ./build/all_reduce_perf -b 256M -e 512M\n", kOldHead,
          "   268435456  67108864  float  sum   122131  2.20  4.33  2e-06  122165  2.20  4.34  "
          "2e-06\n# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 4.32178 \n",
          "$ mpirun -np 64 ./build/alltoall_perf -b 256M -e 512M\n", kOldHead,
          "   268435456   1048576  float        520935  0.52  0.51  0e+00  519562  0.52  0.51  "
          "1e+00\n# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0.507636 \n");
  const std::string remarks = remarks_in(two);
  EXPECT_TRUE(has(remarks,
                  "table 1, all_reduce_perf: busbw up to 4.34 GB/s (in place, 268435456 "
                  "bytes) in 1 row, values out of bounds: 0 OK; average busbw 4.32178"))
      << remarks;
  EXPECT_TRUE(has(remarks,
                  "table 2, alltoall_perf: busbw up to 0.51 GB/s (out of place, 268435456 "
                  "bytes) in 1 row, values out of bounds: 0 OK; average busbw 0.507636"))
      << remarks;
  EXPECT_EQ(Case(two).first(), "none");
}

/// The name is that of the program's own line, or of the only command before the table.
TEST(NcclLogTestsListing, WhichTestItIs) {
  const std::string table = kNewHead + row(4096, "30.74", "0.13", "30.69  0.13  0.13  0");
  const auto named = [&](const std::string& before) {
    const std::string text = remarks_in(before + table);
    return text.substr(0, text.find(": "));
  };
  const std::string plain = "results of nccl-tests";
  EXPECT_EQ(named(""), plain);
  EXPECT_EQ(named("[1,0]<stdout>:# Collective test starting: all_reduce_perf_mpi\n"),
            plain + ", all_reduce_perf_mpi");
  EXPECT_EQ(named("srun -n 32 -- all_gather_perf -b 64K -e 4G -f 2 -g 1\n"),
            plain + ", all_gather_perf");
  EXPECT_EQ(named("for t in all_gather_perf sendrecv_perf; do\n./sendrecv_perf\n"), plain);
  EXPECT_EQ(named("./my_gather_perf -b 8\n"), plain);
  // That one was before.
  const std::string both =
      remarks_in("./all_gather_perf -b 8\n" + table + "# Avg bus bandwidth    : 0.13\n" + table);
  EXPECT_TRUE(has(both, "results of nccl-tests, table 2: busbw")) << both;
}

/// Tables of programs that run at once: whose a row is, is not known.
TEST(NcclLogTestsListing, MixedTables) {
  const std::string head = kNewHead;
  const std::string text = remarks_in(head + head + row(4096, "30", "4.13", "30  4.13  4.13  0") +
                                      row(8192, "300", "0.02", "300  0.02  0.02  0") +
                                      "# Avg bus bandwidth    : 2.13\n"
                                      "# Avg bus bandwidth    : 3.13\n");
  EXPECT_EQ(
      text,
      "results of nccl-tests: busbw up to 4.13 GB/s (out of place, 4096 bytes) in 2 rows of 2 "
      "tables, none with wrong values; average busbw 2.13, 3.13 GB/s over all sizes, as "
      "nccl-tests says");
}

/// ROCm/rccl issue 1490: a size that is far slower than the one before it.
TEST(NcclLogTestsListing, ASharpDrop) {
  const auto of = [](const std::string& rows) { return remarks_in(kNewHead + rows); };
  const std::string before = row(1048576, "1456.6", "0.70", "1304.0  0.80  0.78  0");
  const std::string drop = of(before + row(2097152, "70248", "0.03", "73593  0.03  0.03  0"));
  EXPECT_TRUE(has(drop,
                  ": far slower from one row to the next: 1048576 bytes: 1456.6 us, busbw 0.70 "
                  "GB/s; 2097152 bytes: 70248 us, busbw 0.03 GB/s (out of place, and similarly in "
                  "place)"))
      << drop;
  const std::string one = of(before + row(2097152, "2900", "0.70", "73593  0.03  0.03  0"));
  EXPECT_TRUE(has(one, "2097152 bytes: 73593 us, busbw 0.03 GB/s (in place)")) << one;
  // Half of it, numbers of too few digits, and a smaller size.
  for (const std::string& rows :
       {before + row(2097152, "5800", "0.35", "5800  0.35  0.35  0"),
        row(512, "34", "0.02", "34  0.02  0.02  0") + row(1024, "900", "0.00", "900  0.0  0.0  0"),
        row(1048576, "100", "9.70", "100  9.70  9.70  0") +
            row(8, "700", "0.01", "700  0.01  0.01  0")})
    EXPECT_FALSE(has(of(rows), "far slower")) << rows;
}

/// NVIDIA/nccl-tests issue 350: large sizes that are slower than the best.
TEST(NcclLogTestsListing, TheLargestSize) {
  const auto of = [](const std::string& rows) { return remarks_in(kNewHead + rows); };
  const std::string best = row(1048576, "100", "20.00", "100  20.00  21.50  0");
  const std::string slow = row(2097152, "300", "10.25", "300  10.0  9.75  0");
  EXPECT_TRUE(has(of(best + slow), "; 10.25 GB/s at the largest size")) << of(best + slow);
  EXPECT_FALSE(has(of(best + row(2097152, "200", "17.00", "200  17.0  17.0  0")), "largest size"));
  EXPECT_FALSE(has(of(row(512, "30", "0.02", "30  0.02  0.02  0") + best), "largest size"));
}

/// NVIDIA/nccl issue 340: rows without their heading, by what they have.
TEST(NcclLogTestsListing, RowsWithoutAHeading) {
  const std::string old =
      "    67108864       8388608   float   1568.3   21.40   21.40  0e+00   1560.9   21.50   21.50 "
      " "
      "0e+00\n";
  const std::string end = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 6.6972 \n";
  const std::string text = remarks_in(old + end);
  EXPECT_EQ(text,
            "results of nccl-tests: busbw up to 21.50 GB/s (in place, 67108864 bytes) in 1 row, "
            "values out of bounds: 0 OK; average busbw 6.6972 GB/s over all sizes, as nccl-tests "
            "says");
  const std::string wrong =
      "  4096  1024     float     sum      -1  30.74  0.13  0.13   7  30.69  0.13  0.13   0\n";
  EXPECT_TRUE(has(remarks_in(wrong),
                  "in 1 row, some with wrong values out of place, none with "
                  "wrong values in place"));
  EXPECT_EQ(Case(wrong).first(), "none");  // of what table is not known
  for (const char* const other :
       {// cut, too long, halves that do not belong together, no size
        "  4096  1024     float     sum      -1  30.74  0.13  0.13   0  30.69  0.13  0.13\n",
        "  4096  1024     float     sum      -1  30.74  0.13  0.13   0  30.69  0.13  0.13   0 1\n",
        "  4096  1024     float     sum      -1  30.74  0.13  0.13   0  30.69  9.13  0.13   0\n",
        "  node  1024     float     sum      -1  30.74  0.13  0.13   0  30.69  0.13  0.13   0\n"})
    EXPECT_EQ(remarks_in(other), "") << other;
}

/// Two ranks on one GPU, as nccl-tests 2.18 lists them, and by the bus alone before.
TEST(NcclLogTestsListing, RanksOnOneGpu) {
  const std::string end = "#\n";
  const auto of = [&](const char* first, const char* second, const char* host = "lab") {
    return remarks_in(rank_line(0, 7, "lab", first) + rank_line(1, 8, host, second) + end);
  };
  EXPECT_EQ(of(" 0 [0000:02:00]", " 0 [0000:02:00]"),
            "nccl-tests lists ranks 0,1 on the same GPU (host lab, device 0 [0000:02:00]), unless "
            "several hosts have that name");
  EXPECT_TRUE(has(of(" 0 [0000:02:00]", " 1 [0000:02:00]"), "lists ranks 0,1 on the same GPU"));
  EXPECT_EQ(
      of(" 0 [0x02]", " 0 [0x02]"),
      "nccl-tests lists ranks 0,1 on the same GPU (host lab, device 0 [0x02]), unless several "
      "hosts have that name or the GPUs are in different PCI domains");
  EXPECT_EQ(of(" 0 [0x02]", " 1 [0x02]"), "");  // of two domains
  EXPECT_EQ(of(" 0 [0000:02:00]", " 0 [0000:03:00]"), "");
  EXPECT_EQ(of(" 0 [0000:02:00]", " 0 [0000:02:00]", "lab2"), "");
  EXPECT_EQ(of(" 0 [0000:02:00] MIG", " 0 [0000:02:00] MIG"), "");
  // One process knows its devices apart.
  EXPECT_EQ(
      remarks_in(rank_line(0, 7, "lab", " 0 [0x02]") + rank_line(1, 7, "lab", " 0 [0x02]") + end),
      "nccl-tests lists ranks 0,1 on the same GPU (host lab, device 0 [0x02])");
}

/// Where NCCL's own lines do not say how many ranks there are.
TEST(NcclLogTestsListing, TheNumberOfRanksThatAreListed) {
  const auto headline = [](const std::string& text) {
    const std::string all = printed(Case(text));
    return all.substr(0, all.find(": "));
  };
  const std::string two = rank_line(0, 7, "n1", " 0 [0x02]") + rank_line(1, 8, "n2", " 0 [0x02]");
  const std::string begin = "NCCL (version not shown), ";
  EXPECT_EQ(headline(two + "#\n"), begin + "nccl-tests lists 2 ranks on 2 hosts");
  EXPECT_EQ(headline(two + kOldHead), begin + "nccl-tests lists 2 ranks on 2 hosts");
  EXPECT_FALSE(has(printed(Case(two + "#\n")), "NCCL's number of ranks"));
  // The end of the list is missing, or a part of it.
  EXPECT_EQ(headline(two), begin + "nccl-tests lists at least 2 ranks");
  EXPECT_EQ(headline(two + rank_line(4, 9, "n3", " 0 [0x02]") + "#\n"),
            begin + "nccl-tests lists at least 5 ranks");
  EXPECT_TRUE(has(printed(Case(two)), "NCCL's number of ranks"));
  // Runs of several sizes, one after the other.
  EXPECT_EQ(headline(two + "#\n# Out of bounds values : 0 OK\n" +
                     rank_line(0, 9, "n1", " 0 [0x02]") + "#\n"),
            begin + "nccl-tests lists up to 2 ranks on 2 hosts");
  // As of 2019, without a process (NVIDIA/nccl-tests src/common.cu at v2.0.0).
  EXPECT_EQ(headline("#   Rank  0 on         n1 device  0 [0x00] Tesla V100\n"
                     "# Rank 1 on n2 device 0 [0x00] Tesla V100\n#\n"),
            begin + "nccl-tests lists 2 ranks on 2 hosts");
  EXPECT_EQ(headline("# Rank 0 on n1 device nothing like it\n# Rank 1 on n2 device either\n#\n"),
            begin + "number of ranks not shown by NCCL");
  // Separate runs are not one of more ranks.
  EXPECT_EQ(
      headline(rank_line(0, 7, "n1", " 0 [0x02]") + rank_line(0, 8, "n2", " 0 [0x02]") + "#\n"),
      begin + "number of ranks not shown by NCCL");
  EXPECT_TRUE(has(headline(two + "#\nn1:7:9 [0] NCCL INFO comm 0x1 rank 0 nranks 4 cudaDev 0 "
                                 "busId 2000 - Init COMPLETE\n"),
                  "largest communicator of 4 ranks"));
}

/// Hosts and ranks of processes that NCCL's own lines do not say.
TEST(NcclLogTestsListing, WhichProcessIsWhichRank) {
  const auto complete = [](int rank) {
    return cat("n", rank, ":", 7 + rank, ":9 [0] NCCL INFO comm 0x1 rank ", rank,
               " nranks 4 cudaDev 0 busId 2000 - Init COMPLETE\n");
  };
  std::string list;
  for (int rank = 0; rank < 4; ++rank)
    list += rank_line(rank, 7 + rank, cat("n", rank).c_str(), " 0 [0x02]");
  const std::string warned = "n2:9:11 [0] x.cc:1 NCCL WARN something of no known cause\n";
  const std::string shown = printed(Case(list + "#\n" + complete(0) + complete(1) + warned));
  EXPECT_TRUE(has(shown, "rank 2 (n2:9)")) << shown;
  EXPECT_TRUE(has(shown, "n2: 2; n3: 3")) << shown;
  // NCCL's lines come at once where nothing ends the list.
  EXPECT_TRUE(has(printed(Case(list + complete(0) + complete(1) + warned)), "n2: 2; n3: 3"));
  // A test before the job: other processes, or other ranks.
  const std::string moved =
      "n2:701:701 [0] NCCL INFO comm 0x1 rank 0 nranks 4 cudaDev 0 busId 2000 - Init COMPLETE\n";
  for (const std::string& job : {moved, moved + complete(1)}) {
    const std::string before = printed(Case(list + "#\n" + job + warned));
    EXPECT_FALSE(has(before, "rank 2 (n2:9)")) << before;
    EXPECT_FALSE(has(before, "n3"));
  }
  // Both are in the log.
  const std::string next =
      "n3:701:701 [0] NCCL INFO comm 0x9 rank 0 nranks 4 cudaDev 0 busId 9000 commId 0x77 - Init "
      "COMPLETE\n";
  EXPECT_FALSE(has(printed(Case(list + "#\n" + complete(0) + next + warned)), "rank 2 (n2:9)"));
  // Of a list of another size, or of two runs, nothing is known.
  EXPECT_FALSE(has(printed(Case(rank_line(2, 9, "n2", " 0 [0x02]") + "#\n" + complete(0) + warned)),
                   "rank 2 (n2:9)"));
  const std::string other =
      printed(Case(list + "#\n" + kOldHead + rank_line(0, 17, "n0", " 0 [0x02]") +
                   rank_line(1, 18, "n1", " 0 [0x02]") + rank_line(2, 19, "n2", " 0 [0x02]") +
                   rank_line(3, 20, "n2", " 0 [0x02]") + "#\n" + complete(0) + warned));
  EXPECT_FALSE(has(other, "rank 2 (n2:9)"));
  EXPECT_FALSE(has(other, "n3"));
}

/// A line may be anything.
TEST(NcclLogTestsListing, WhatLooksLikeATable) {
  const std::string heading =
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
      "time   algbw   busbw #wrong\n";
  std::string names;
  for (int i = 0; i < 40000; ++i) names += "_perf";
  std::string columns = "# size count type time algbw busbw #wrong";
  for (int i = 0; i < 40; ++i) columns += " time";
  const std::string row = std::string(400, '1') + " 2 float sum -1 10 2 3 0 10 2 3 0\n";
  for (const std::string& text : {heading + names + "\n", heading + row + row, columns + "\n" + row,
                                  "# Collective test starting: " + names + "\n" + heading + row})
    EXPECT_LT(printed(Case(text)).size(), 4000U);
}

}  // namespace
}  // namespace nettune::tools::nccl::log
