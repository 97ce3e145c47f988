import Testing

@testable import POIToolSupport

@Suite struct QuantityFormatTests {
  @Test(arguments: [
    (0, "0"), (7, "7"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"),
    (-1234, "-1,234"), (Int.max, "9,223,372,036,854,775,807"),
    (Int.min, "-9,223,372,036,854,775,808"),
  ])
  func `counts have separators`(number: Int, text: String) {
    #expect(QuantityFormat.count(number) == text)
  }

  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1049, "1.0 kB"), (1050, "1.1 kB"),
    (999_949, "999.9 kB"), (999_950, "1.0 MB"), (388_000_000, "388.0 MB"),
    (2_500_000_000, "2.5 GB"), (7_000_000_000_000, "7.0 TB"),
  ])
  func `sizes have a unit`(byteCount: Int, text: String) {
    #expect(QuantityFormat.bytes(byteCount) == text)
  }

  @Test func `a part is shown in the unit of the whole`() {
    #expect(QuantityFormat.bytes(0, of: 388_000_000) == "0.0 of 388.0 MB")
    #expect(QuantityFormat.bytes(12, of: 80) == "12 of 80 B")
  }

  @Test func `rates are rounded to three digits`() {
    #expect(QuantityFormat.rate(1_000_000, in: .milliseconds(2345)) == "426,000/s")
    #expect(QuantityFormat.rate(5, in: .seconds(2)) == "3/s")
    #expect(QuantityFormat.rate(9_996, in: .seconds(1)) == "10,000/s")
    #expect(QuantityFormat.rate(5, in: .zero) == nil)
    #expect(QuantityFormat.rate(Int.max, in: .milliseconds(1)) != nil)
  }

  @Test func `only the whole is 100 per cent`() {
    #expect(QuantityFormat.percent(0, of: 3) == "0 %")
    #expect(QuantityFormat.percent(999, of: 1000) == "99 %")
    #expect(QuantityFormat.percent(1000, of: 1000) == "100 %")
  }

  @Test(arguments: [
    (0, "0"), (1, "1"), (1000, "1k"), (1024, "1KiB"), (65536, "64KiB"), (64_000_000, "64M"),
    (1 << 20, "1MiB"), (1 << 30, "1GiB"), (3_000_000_000, "3G"), (1001, "1001"),
  ])
  func `limits are shown as they can be typed`(byteCount: Int, text: String) {
    #expect(QuantityFormat.byteLimit(byteCount) == text)
  }
}
