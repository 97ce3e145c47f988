internal import POIPlatform

/// The places of records, in bounded memory.
struct DensityMap {
  /// The numbers of records with a position on the globe, outside it, and without a position.
  private var (shownCount, outsideCount, missingCount) = (0, 0, 0)
  /// In degrees; the smallest cell has about one metre.
  private var grid = Grid(width: 720, height: 720, exponent: -17)

  /// Points that are drawn over the records.
  struct Marks {
    /// The largest number of points.
    static let limit = 1_000

    /// What is marked, such as `rejects`.
    let name: String
    /// The class of the points: `bad`, `new` or `other`.
    let style: HTML
    /// Degrees of longitude and latitude.
    var places: [SIMD2<Double>] = []
  }

  /// Counts a record by its degrees of longitude and latitude.
  mutating func insert(_ place: SIMD2<Double>?) {
    guard let place else {
      missingCount += 1
      return
    }
    guard Self.isOnGlobe(place) else {
      outsideCount += 1
      return
    }
    shownCount += 1
    grid.insert(place.x, place.y)
  }

  private static func isOnGlobe(_ place: SIMD2<Double>) -> Bool {
    place.x.magnitude <= 180 && place.y.magnitude <= 90
  }

  /// A drawing with a labelled graticule; nil if no record has a position.
  func section(_ marks: [Marks]) -> HTML? {
    let missing: HTML = missingCount > 0 ? " \(missingCount) have no position." : ""
    let outside: HTML = outsideCount > 0 ? " \(outsideCount) lie outside the globe." : ""
    guard shownCount > 0 else {
      let sentence: HTML = "None is on the globe.\(missing)\(outside)"
      return missingCount + outsideCount > 0 ? Page.section("Where are they?", sentence, "") : nil
    }
    let span = max(grid.columns.count, grid.rows.count)
    /// The range with a margin, and not much shorter than the other one.
    func framed(_ range: Range<Int>) -> Range<Int> {
      let margin = max(span / 30 + 3, (max(span / 3, 48) - range.count) / 2)
      return range.lowerBound - margin..<range.upperBound + margin
    }
    let (x, y) = (framed(grid.columns), framed(grid.rows))
    let cell = grid.cellLength
    // A degree of longitude is shorter than one of latitude.
    let middle = Double(y.lowerBound + y.upperBound) / 2 * cell
    let aspect = Double(y.count) / Double(x.count) / max(cos(middle * .pi / 180), 0.1)
    let (width, height) = aspect > 1 ? (960 / aspect, 960) : (960, 960 * aspect)
    let meridians = Self.lines(x, cell, limit: 180, names: ("E", "W")).html { degrees, name in
      let place = (degrees / cell - Double(x.lowerBound)) * width / Double(x.count)
      return """
        <path d="M\(place) 0V\(height)"/><text x="\(place + 4)" y="\(height - 6)">\(text: name)</text>
        """
    }
    let points = marks.html { marks in
      let points = marks.places.filter(Self.isOnGlobe).html { place in
        let left = (place.x / cell - Double(x.lowerBound)) * width / Double(x.count)
        let top = (Double(y.upperBound) - place.y / cell) * height / Double(y.count)
        return "M\(min(max(left, 4), width - 4)) \(min(max(top, 4), height - 4))h0"
      }
      return "<path class=\"\(marks.style)\" d=\"\(points)\"/>"
    }
    let legend = marks.html { marks in
      let outsideCount = marks.places.count { !Self.isOnGlobe($0) }
      return """
        <li><i class="\(marks.style)"></i>\(text: marks.name) \
        <b>\(marks.places.count - outsideCount)</b>\
        \(marks.places.count >= Marks.limit ? ", the first" : "")\
        \(outsideCount > 0 ? ", and \(outsideCount) outside the globe" : "")</li>
        """
    }
    let parallels = Self.lines(y, cell, limit: 90, names: ("N", "S")).html { degrees, name in
      let place = (Double(y.upperBound) - degrees / cell) * height / Double(y.count)
      return
        "<path d=\"M0 \(place)H\(width)\"/><text x=\"4\" y=\"\(place - 4)\">\(text: name)</text>"
    }
    let png = PNG.encode(levels(x, y), width: x.count, color: [0x2F, 0x7F, 0x74])
    return Page.section(
      "Where are they?",
      """
      \(shownCount) records; the stronger the colour, the more.\(missing)\(outside)\
      \(marks.isEmpty ? "" : " Points beyond the map are at its edge.")
      """,
      """
      <svg class="map" viewBox="0 0 \(width) \(height)" role="img" \
      aria-label="Map of \(shownCount) records"><rect width="\(width)" height="\(height)"/>\
      <image width="\(width)" height="\(height)" preserveAspectRatio="none" href="\(png: png)"/>\
      \(meridians)\(parallels)\(points)</svg>\(marks.isEmpty ? "" : "<ul class=\"legend\">\(legend)</ul>")
      """)
  }

  /// The logarithms of the counts, from north to south. Few records are drawn as larger dots.
  private func levels(_ x: Range<Int>, _ y: Range<Int>) -> [UInt8] {
    var levels = [UInt8](repeating: 0, count: x.count * y.count)
    let radius = shownCount < 10_000 ? max(x.count, y.count) / 360 : 0
    for row in grid.rows {
      for column in grid.columns where grid[column, row] > 0 {
        let level = UInt8(min(15, UInt32.bitWidth - grid[column, row].leadingZeroBitCount))
        for nearRow in row - radius...row + radius {
          for nearColumn in column - radius...column + radius {
            let place = (y.upperBound - 1 - nearRow) * x.count + nearColumn - x.lowerBound
            levels[place] = max(levels[place], level)
          }
        }
      }
    }
    return levels
  }

  private static func lines(
    _ cells: Range<Int>, _ cell: Double, limit: Double,
    names: (positive: String, negative: String)
  ) -> [(Double, String)] {
    // The largest distance of which four lines fit.
    let steps = [45, 30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001]
    let step = steps.first { $0 * 4 <= Double(cells.count) * cell } ?? 0.0005
    // No line where its name would not fit.
    let margin = Double(cells.count) * 0.05
    let first = (max((Double(cells.lowerBound) + margin) * cell, -limit) / step).rounded(.up)
    let last = min((Double(cells.upperBound) - margin) * cell, limit) / step
    return stride(from: first, through: last, by: 1).map {
      number in
      let degrees = (number * step * 10_000).rounded() / 10_000
      let name = degrees == 0 ? "" : " " + (degrees > 0 ? names.positive : names.negative)
      let digits = "\(degrees.magnitude)"
      return (degrees, (digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits) + "°" + name)
    }
  }
}
