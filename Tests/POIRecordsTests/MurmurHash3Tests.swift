import Testing

@testable import POIRecords

@Suite struct MurmurHash3Tests {
  @Test(arguments: [
    ("", "00000000000000000000000000000000"),
    ("a", "e6b53a48510e895a85555565f6597889"),
    ("hello", "5b1e906a48ae1d19cbd8a7b341bd9b02"),
    ("0123456789abcdef", "87c35b5c63a708da4be06d94cf4ad1a7"),
    ("The quick brown fox jumps over the lazy dog", "7a433ca9c49a9347e34bbc7bbc071b6c"),
  ])
  func `a known text has its published hash`(text: String, hash: String) {
    #expect(MurmurHash3.digest(of: Array(text.utf8).span).description == hash)
  }

  @Test func `every length of the tail is hashed as in the reference`() {
    let bytes = (0..<300).map { UInt8(($0 * 7 + 3) % 256) }
    var sum = Digest.zero
    for count in 0...300 { sum += MurmurHash3.digest(of: bytes.span.extracting(first: count)) }
    #expect(sum.description == "55b4b180a918ac65bed31b67ddd572e6")
  }

  @Test func `the place of the bytes in memory does not matter`() {
    let bytes = (0..<100).map { UInt8($0) }
    for offset in 0..<16 {
      let copy = Array(bytes[offset...])
      #expect(
        MurmurHash3.digest(of: bytes.span.extracting(droppingFirst: offset))
          == MurmurHash3.digest(of: copy.span))
    }
  }
}
