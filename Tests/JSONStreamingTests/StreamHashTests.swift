import JSONStreaming
import Testing

@Suite struct StreamHashTests {
  private func hash(_ text: String) -> UInt64 {
    var hash = StreamHash()
    hash.update(Array(text.utf8).span)
    return hash.value
  }

  @Test func `the hashes match published values`() {
    #expect(hash("") == 0xEF46_DB37_51D8_E999)
    #expect(hash("a") == 0xD24E_C4F1_A98C_6E5B)
    #expect(hash("abc") == 0x44BC_2CF5_AD77_0999)
    #expect(hash("xxhash") == 0x32DD_3895_2C4B_C720)
    #expect(hash("Nobody inspects the spammish repetition") == 0xFBCE_A83C_8A37_8BF1)
  }

  /// The input and values of the sanity check in xxHash's repository.
  @Test func `the hashes match the reference implementation`() {
    var word: UInt64 = 2_654_435_761
    let bytes = (0..<222).map { _ -> UInt8 in
      defer { word &*= 11_400_714_785_074_694_797 }
      return UInt8(truncatingIfNeeded: word >> 56)
    }
    for (count, value) in [
      (0, 0xEF46_DB37_51D8_E999), (1, 0xE934_A84A_DB05_2768), (4, 0x9136_A0DC_A574_57EE),
      (14, 0x8282_DCC4_994E_35C8), (222, 0xB641_AE8C_B691_C174),
    ] as [(Int, UInt64)] {
      var hash = StreamHash()
      hash.update(bytes.span.extracting(0..<count))
      #expect(hash.value == value, "\(count) bytes")
    }
  }

  @Test func `the hash does not depend on how the bytes are split`() {
    let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    for count in 0...bytes.count {
      var whole = StreamHash()
      whole.update(bytes.span.extracting(0..<count))
      #expect(whole.byteCount == count)
      for size in [1, 5, 31, 32, 33] {
        var split = StreamHash()
        for start in stride(from: 0, to: count, by: size) {
          split.update(bytes.span.extracting(start..<min(start + size, count)))
          _ = split.value
        }
        #expect(split.value == whole.value, "\(count) bytes by \(size)")
      }
    }
  }
}
