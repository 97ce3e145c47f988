import POITestSupport
import Testing

@testable import POIReport

struct GridTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `every point is counted, in the cell of its place, whatever the order`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var points: [(x: Double, y: Double)] = []
    for exponent in [0, 3, 8, 40] {
      let limit = Double(sign: .plus, exponent: exponent, significand: 1)
      for _ in 0..<200 {
        points.append(
          (.random(in: -limit...limit, using: &random), .random(in: -limit...limit, using: &random))
        )
      }
      var grid = Grid(width: 64, height: 32, exponent: -17)
      for point in points.shuffled(using: &random) { grid.insert(point.x, point.y) }
      #expect(grid.columns.count <= 64 && grid.rows.count <= 32)
      #expect(grid.columns.count > 32 || grid.rows.count > 16)
      var expected: [[Int]: UInt32] = [:]
      for point in points {
        let cell = [point.x, point.y].map { Int(($0 / grid.cellLength).rounded(.down)) }
        expected[cell, default: 0] += 1
      }
      for y in grid.rows {
        for x in grid.columns { #expect(grid[x, y] == expected[[x, y]] ?? 0) }
      }
      #expect(
        expected.keys.allSatisfy { grid.columns.contains($0[0]) && grid.rows.contains($0[1]) })
    }
  }

  @Test func `the greatest numbers have a cell`() {
    var grid = Grid(width: 64, height: 1, exponent: -20)
    let greatest = Double.greatestFiniteMagnitude
    for number in [0, 1, greatest, -greatest] {
      grid.insert(number)
    }
    #expect(grid.columns.reduce(0) { $0 + grid[$1, 0] } == 4)
  }
}
