// Malformed Matrix Market texts in every class, with the code and the line that refuse them.
#pragma once

#include <string>
#include <switchyard/containers/error.hpp>
#include <vector>

namespace switchyard {

struct MalformedText {
  std::string text;
  int line;
  ErrorCode code = ErrorCode::ParseError;
};

struct MalformedClass {
  std::string name;
  std::vector<MalformedText> texts;  ///< each refused, strictly and leniently read, in either type
};

namespace malformed {

using namespace std::string_literals;

inline const std::string real = "coordinate real general\n";
inline const std::string integer = "coordinate integer general\n";
inline const std::string pattern = "coordinate pattern general\n";
inline const std::string symmetric = "coordinate real symmetric\n";
inline const std::string skew = "coordinate real skew-symmetric\n";
inline const std::string array = "array real general\n";

/// The texts with what every banner begins with.
inline std::vector<MalformedText> with_banner(std::vector<MalformedText> texts) {
  for (MalformedText& malformed : texts) malformed.text.insert(0, "%%MatrixMarket matrix ");
  return texts;
}

inline std::vector<MalformedText> banners() {
  return {
      {"", 1},
      {"\n", 1},
      {"1 1 1\n1 1 1\n", 1},
      {"%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n", 1},
      {"MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n", 1},
      {" %%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n", 1},
      {"\n%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n", 1},
      {"\xef\xbb\xbf%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n", 1},
      {"%%MatrixMarketmatrix coordinate real general\n1 1 1\n1 1 1\n", 1},
      {"%% MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n", 1},
      {"%%MatrixMarket", 1},
      {"%%MatrixMarket\n1 1 1\n1 1 1\n", 1},
      {"%%MatrixMarket vector coordinate real general\n1 1 1\n1 1 1\n", 1},
      {"%%MatrixMarket matrix, coordinate real general\n1 1 1\n1 1 1\n", 1},
      {"%%MatrixMarket matrix coordinate real general\0\n1 1 1\n1 1 1\n"s, 1},
      {"\x89PNG\r\n\x1a\n", 1},
      {"%%MatrixMarket\0matrix coordinate real general\n1 1 1\n1 1 1\n"s, 1},
      {"%%MatrixMarket matrix\ncoordinate real general\n1 1 1\n1 1 1\n", 1},
      {"%%MatrixMarket matrix coordinate real general\r1 1 1\r1 1 1\r", 1},
      {"\xff\xfe%\0%\0M\0a\0t\0r\0i\0x\0\n\0"s, 1},
      {"% comment first\n%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n", 1},
      {"\x1f\x8b\x08", 1},
      {"%%NatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n", 1},
      {"%%MatrixMarket graph coordinate real general\n1 1 1\n1 1 1\n", 1},
      {"%%MatrixMarket matrix" + std::string(3 << 20, ' '), 1},
  };
}

inline std::vector<MalformedText> formats_fields_and_symmetries() {
  return with_banner({
      {"\n1 1 1\n1 1 1\n", 1},
      {"coordinate\n1 1 1\n1 1 1\n", 1},
      {"coordinate real\n1 1 1\n1 1 1\n", 1},
      {"sparse real general\n1 1 1\n1 1 1\n", 1},
      {"coordinate double general\n1 1 1\n1 1 1\n", 1},
      {"coordinate natural general\n1 1 1\n1 1 1\n", 1},
      {"coordinate general real\n1 1 1\n1 1 1\n", 1},
      {"coordinate real diagonal\n1 1 1\n1 1 1\n", 1},
      {"coordinate real hermitian\n1 1 1\n1 1 1\n", 1},
      {"coordinate real skew\n1 1 1\n1 1 1\n", 1},
      {"array pattern general\n1 1\n1\n", 1},
      {"coordinate pattern skew-symmetric\n1 1 0\n", 1},
      {"coordinate complex general\n1 1 1\n1 1 1 0\n", 1, ErrorCode::Unsupported},
      {"coordinate complex hermitian\n1 1 1\n1 1 1 0\n", 1, ErrorCode::Unsupported},
      {"array Complex general\n1 1\n1 0\n", 1, ErrorCode::Unsupported},
      {"array\n1 1\n1\n", 1},
      {"array complex hermitian\n1 1\n1 0\n", 1, ErrorCode::Unsupported},
      {"coordinate COMPLEX symmetric\n1 1 1\n1 1 1 0\n", 1, ErrorCode::Unsupported},
      {"array real hermitian\n1 1\n1\n", 1},
      {"array pattern symmetric\n1 1\n1\n", 1},
      {"coordinate pattern hermitian\n1 1 1\n1 1\n", 1},
      {"coordinate real real general\n1 1 1\n1 1 1\n", 1},
      {"coordinate,real,general\n1 1 1\n1 1 1\n", 1},
      {"coordinate re\xc3\xa4l general\n1 1 1\n1 1 1\n", 1},
      {"coordinate real gen\0eral\n1 1 1\n1 1 1\n"s, 1},
  });
}

inline std::vector<MalformedText> sizes() {
  return with_banner({
      {"coordinate real general", 1},
      {real, 1},
      {real + "% only\n\n%comments\n", 4},
      {real + "3\n", 2},
      {real + "3 3\n1 1 1\n", 2},
      {real + "a 3 1\n1 1 1\n", 2},
      {real + "3 b 1\n1 1 1\n", 2},
      {real + "3 3 c\n1 1 1\n", 2},
      {real + "3, 3, 1\n1 1 1\n", 2},
      {real + "% c\n\n3.0 3 1\n1 1 1\n", 4},
      {real + "3 3e0 1\n1 1 1\n", 2},
      {real + "0x3 3 1\n1 1 1\n", 2},
      {real + "-3 3 1\n1 1 1\n", 2},
      {real + "3 -3 1\n1 1 1\n", 2},
      {real + "3 3 -1\n1 1 1\n", 2},
      {real + "+-3 3 1\n1 1 1\n", 2},
      {real + "99999999999999999999 3 1\n1 1 1\n", 2},
      {real + "3 99999999999999999999 1\n1 1 1\n", 2},
      {real + "3 3 9223372036854775808\n1 1 1\n", 2},
      {real + "3 3 1\0\n1 1 1\n"s, 2},
      {real + "% \0\n3 3 1\n1 1 1\n"s, 2},
      {symmetric + "3 4 1\n1 1 1\n", 2},
      {skew + "4 3 1\n2 1 1\n", 2},
      {"coordinate pattern symmetric\n1 2 1\n1 1\n", 2},
      {"array real symmetric\n2 3\n1\n2\n3\n", 2},
      {array + "3\n1\n2\n3\n", 2},
      {array + "\n", 2},
      {real + "3 3 18446744073709551616\n1 1 1\n", 2},
      {real + "-9223372036854775809 3 1\n1 1 1\n", 2},
      {real + "3 3 1e0\n1 1 1\n", 2},
      {real + "3\t3\n1 1 1\n", 2},
      {real + "3\v3\v1\n1 1 1\n", 2},
      {real + "3 3 nan\n1 1 1\n", 2},
      {real + "3 3 \xef\xbc\x91\n1 1 1\n", 2},
      {real + "\r\n% c\r\n3 3\r\n", 4},
      {array + "2 -2\n1\n2\n3\n4\n", 2},
      {array + "2.0 2\n1\n2\n3\n4\n", 2},
      {skew + "0 1 0\n", 2},
      {"array real skew-symmetric\n3 2\n1\n2\n3\n", 2},
      {real + "% never closed", 2},
      {real + "%" + std::string(3 << 20, ' ') + "\n1 1 1\n1 1 1\n", 2},
  });
}

inline std::vector<MalformedText> indices() {
  return with_banner({
      {real + "3 3 1\n0 1 1\n", 3},
      {real + "3 3 1\n1 0 1\n", 3},
      {real + "3 3 2\n1 1 1\n-1 1 1\n", 4},
      {real + "3 3 1\n1 -1 1\n", 3},
      {real + "3 3 1\n4 1 1\n", 3},
      {real + "3 3 1\n1 4 1\n", 3},
      {real + "3 3 1\n1.5 1 1\n", 3},
      {real + "3 3 1\n1 1.0 1\n", 3},
      {real + "3 3 1\n1e0 1 1\n", 3},
      {real + "3 3 1\n0x1 1 1\n", 3},
      {real + "3 3 1\n1,1,1\n", 3},
      {real + "3 3 1\nx 1 1\n", 3},
      {real + "3 3 1\n1 x 1\n", 3},
      {real + "3 3 1\n+ 1 1\n", 3},
      {real + "3 3 1\n1\n", 3},
      {real + "3 3 1\n\n\n99999999999999999999 1 1\n", 5},
      {real + "3 3 1\n1 18446744073709551617 1\n", 3},
      {real + "3 3 1\n9223372036854775807 1 1\n", 3},
      {real + "3 3 1\n4294967297 1 1\n", 3},
      {real + "3 3 1\n1\0 1 1\n"s, 3},
      {real + "0 3 1\n1 1 1\n", 3},
      {real + "3 0 1\n1 1 1\n", 3},
      {pattern + "3 3 1\n1\n", 3},
      {pattern + "3 3 1\n1 \xff\n", 3},
      {symmetric + "3 3 1\n4 1 1\n", 3},
      {real + "3 3 1\n-0 1 1\n", 3},
      {real + "3 3 1\n1 -9223372036854775808 1\n", 3},
      {real + "3 3 1\n1 0000 1\n", 3},
      {real + "3 3 1\n1 2147483648 1\n", 3},
      {real + "3 3 1\n1 \xe2\x88\x92"
              "1 1\n",
       3},
      {real + "3 3 1\n1\f1\f1\n", 3},
      {real + "3 3 1\n1;1;1\n", 3},
      {real + "3 3 1\n(1 1) 1\n", 3},
      {real + "3 3 2\r\n1 1 1\r\n1 4 1\r\n", 4},
      {symmetric + "3 3 1\n1 4 1\n", 3},
      {symmetric + "3 3 2\n1 1 1\n0 1 1\n", 4},
      {skew + "3 3 1\n4 1 1\n", 3},
      {"coordinate pattern symmetric\n2 2 1\n3 1\n", 3},
      {integer + "3 3 1\n3 4 1\n", 3},
      {pattern + "3 3 2\n3 3\n3 \n", 4},
  });
}

inline std::vector<MalformedText> values() {
  return with_banner({
      {real + "3 3 1\n1 1\n", 3},
      {real + "3 3 2\n1 1 1\n2 2 \n", 4},
      {real + "3 3 1\n1 1 abc\n", 3},
      {real + "3 3 1\n1 1 1.5x\n", 3},
      {real + "3 3 1\n1 1 0x1p3\n", 3},
      {real + "3 3 1\n1 1 1,5\n", 3},
      {real + "3 3 1\n1 1 --1\n", 3},
      {real + "3 3 1\n1 1 +-1\n", 3},
      {real + "3 3 1\n1 1 .\n", 3},
      {real + "3 3 1\n1 1 e5\n", 3},
      {real + "3 3 1\n1 1 1e\n", 3},
      {real + "3 3 1\n1 1 infinit\n", 3},
      {real + "3 3 1\n1 1 nano\n", 3},
      {real + "3 3 1\n1 1 %\n", 3},
      {real + "3 3 1\n1 1 1\0\n"s, 3},
      {real + "3 3 1\n1 1 1 \0\n"s, 3},
      {integer + "3 3 1\n1 1 0x10\n", 3},
      {integer + "3 3 1\n1 1 nan\n", 3},
      {integer + "3 3 1\n1 1 inf\n", 3},
      {integer + "3 3 1\n1 1\n", 3},
      {array + "2 1\n1\nx\n", 4},
      {real + "3 3 1\n1 1\n1\n", 3},
      {real + "3 3 1\n1 1 1.2.3\n", 3},
      {real + "3 3 1\n1 1 d0\n", 3},
      {real + "3 3 1\n1 1 1d\n", 3},
      {real + "3 3 1\n1 1 1d0d0\n", 3},
      {real + "3 3 1\n1 1 1e0d0\n", 3},
      {real + "3 3 1\n1 1 infd\n", 3},
      {real + "3 3 1\n% a comment with \0\n1 1 1\n"s, 3},
      {real + "3 3 1\n1 1 1e+\n", 3},
      {real + "3 3 1\n1 1 1e-\n", 3},
      {real + "3 3 1\n1 1 1_000\n", 3},
      {real + "3 3 1\n1 1 1'000\n", 3},
      {real + "3 3 1\n1 1 0x1\n", 3},
      {real + "3 3 1\n1 1 -\n", 3},
      {real + "3 3 1\n1 1 + 1\n", 3},
      {real + "3 3 1\n1 1 (1,0)\n", 3},
      {real + "3 3 1\n1 1 1/3\n", 3},
      {real + "3 3 1\n1 1 \"1\"\n", 3},
      {real + "3 3 1\n1 1 true\n", 3},
      {real + "3 3 1\n1 1 nan(1)\n", 3},
      {real + "3 3 1\n1 1 1.5f\n", 3},
      {integer + "3 3 1\n1 1 ++1\n", 3},
      {array + "1 1\n0x1\n", 3},
      {array + "1 1\n1\0\n"s, 3},
      {real + "1 1 1\n1 1 " + std::string(3 << 20, ' ') + "1\n", 3},
      {array + "1 1\n" + std::string(2 << 20, '1') + "\n", 3},
  });
}

inline std::vector<MalformedText> counts_of_entries() {
  return with_banner({
      {real + "3 3 2\n1 1 1\n", 3},
      {real + "3 3 2\n", 2},
      {real + "3 3 2\n1 1 1\n\n\n", 5},
      {real + "3 3 2\n1 1 1\n2 2", 4},
      {real + "3 3 1\n1 1 1\n2 2 2\n", 4},
      {real + "3 3 1\n\n1 1 1\n\n\n2 2 2\n3 3 3\n", 7},
      {real + "3 3 0\n1 1 1\n", 3},
      {real + "3 3 1\n1 1 1\n2 2 oops\n", 4},
      {array + "2 2\n1\n2\n3\n", 5},
      {array + "2 2\n1\n2\n3\n4\n5\n", 7},
      {array + "0 2\n1\n", 3},
      {"array real symmetric\n2 2\n1\n2\n", 4},
      {"array real symmetric\n2 2\n1\n2\n3\n4\n", 6},
      {"array real skew-symmetric\n2 2\n1\n2\n", 4},
      {"array real skew-symmetric\n2 2\n", 2},
      {skew + "2 2 1\n1 1 1\n", 3},
      {skew + "2 2 1\n1 1 nan\n", 3},
      {real + "3 3 3\n1 1 1\n\n2 2 2\n\n", 6},
      {real + "3 3 2\n1 1 1\n2", 4},
      {real + "3 3 2\r\n1 1 1\r\n", 3},
      {pattern + "3 3 2\n1 1\n", 3},
      {pattern + "3 3 1\n1 1\n2 2\n", 4},
      {symmetric + "2 2 3\n1 1 1\n2 2 1\n", 4},
      {symmetric + "2 2 1\n1 1 1\n2 2 1\n", 4},
      {skew + "2 2 1\n2 1 1\n2 1 1\n", 4},
      {integer + "3 3 1\n", 2},
      {array + "2 2\n", 2},
      {array + "1 1\n1\n\n\n2\n", 6},
      {"array real skew-symmetric\n2 2\n1\n2\n", 4},
      {real + "3 3 1\n1 1 1\n%%MatrixMarket matrix coordinate real general\n", 4},
  });
}

/// Few bytes that promise a matrix of gigabytes.
inline std::vector<MalformedText> header_bombs() {
  return with_banner({
      {real + "100 100 1000000000000\n1 1 1\n", 2, ErrorCode::OutOfRange},
      {real + "100 100 9223372036854775807\n1 1 1\n", 2, ErrorCode::OutOfRange},
      {real + "100 100 100000000\n", 2, ErrorCode::OutOfRange},
      {real + "1000000000000 100 1\n1 1 1\n", 2, ErrorCode::OutOfRange},
      {real + "9223372036854775807 100 1\n1 1 1\n", 2, ErrorCode::OutOfRange},
      {real + "2147483647 2147483647 1\n1 1 1\n", 2, ErrorCode::OutOfRange},
      {real + "100 1000000000000 1\n1 1 1\n", 2, ErrorCode::OutOfRange},
      {real + "100 2147483648 1\n1 1 1\n", 2, ErrorCode::OutOfRange},
      {real + "4294967296 4294967296 1\n1 1 1\n", 2, ErrorCode::OutOfRange},
      {pattern + "1000000000 1 1\n1 1\n", 2, ErrorCode::OutOfRange},
      {symmetric + "2000000000 2000000000 1\n1 1 1\n", 2, ErrorCode::OutOfRange},
      {symmetric + "1000000000000 1000000000000 1\n1 1 1\n", 2, ErrorCode::OutOfRange},
      {array + "4294967296 4294967296\n1\n", 2, ErrorCode::OutOfRange},
      {array + "4294967296 2147483647\n1\n", 2, ErrorCode::OutOfRange},
      {array + "9223372036854775807 2\n1\n", 2, ErrorCode::OutOfRange},
      {array + "1000000 1000000\n1\n", 2, ErrorCode::OutOfRange},
      {array + "10000 10000\n1\n", 2, ErrorCode::OutOfRange},
      {array + "0 9223372036854775807\n", 2, ErrorCode::OutOfRange},
      {"array real symmetric\n2147483647 2147483647\n1\n", 2, ErrorCode::OutOfRange},
      {"array real skew-symmetric\n2000000000 2000000000\n1\n", 2, ErrorCode::OutOfRange},
      {array + "9223372036854775807 9223372036854775807\n1\n", 2, ErrorCode::OutOfRange},
      {symmetric + "4294967296 4294967296 4294967296\n", 2, ErrorCode::OutOfRange},
      {"coordinate integer general\n5000000 5000000 1\n1 1 1\n", 2, ErrorCode::OutOfRange},
      {"array integer general\n2147483647 2147483647\n1\n", 2, ErrorCode::OutOfRange},
  });
}

}  // namespace malformed

inline std::vector<MalformedClass> malformed_classes() {
  return {{"banner", malformed::banners()},
          {"format, field and symmetry", malformed::formats_fields_and_symmetries()},
          {"sizes", malformed::sizes()},
          {"indices", malformed::indices()},
          {"values", malformed::values()},
          {"count of entries", malformed::counts_of_entries()},
          {"header bombs", malformed::header_bombs()}};
}

}  // namespace switchyard
