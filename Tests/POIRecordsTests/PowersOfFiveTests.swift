import Testing

@testable import POIRecords

@Suite struct PowersOfFiveTests {
  private let powers = PowersOfFive()

  @Test func `a power that fits is exact and normalized`() {
    #expect(powers[0] == (0x8000_0000_0000_0000, 0))
    #expect(powers[1] == (0xA000_0000_0000_0000, 0))
    for exponent in 0...55 {
      var power: UInt128 = 1
      for _ in 0..<exponent { power *= 5 }
      power <<= power.leadingZeroBitCount
      #expect(powers[exponent].upper == UInt64(power >> 64))
      #expect(powers[exponent].lower == UInt64(truncatingIfNeeded: power))
    }
  }

  @Test func `a reciprocal of a power that fits 64 bits is rounded up`() {
    #expect(powers[-1] == (0xCCCC_CCCC_CCCC_CCCC, 0xCCCC_CCCC_CCCC_CCCD))
    #expect(powers[-2] == (0xA3D7_0A3D_70A3_D70A, 0x3D70_A3D7_0A3D_70A4))
  }

  @Test func `the ends of the table are the published ones`() {
    #expect(powers[-342] == (0xEEF4_53D6_923B_D65A, 0x113F_AA29_06A1_3B3F))
    #expect(powers[308] == (0x8E67_9C2F_5E44_FF8F, 0x570F_09EA_A7EA_7648))
  }
}
