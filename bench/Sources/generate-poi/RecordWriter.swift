/// Writes made-up points of interest in the shape of an app's export.
///
/// A place is a number that determines its content, so a duplicate needs no memory of the first record.
struct RecordWriter {
  let options: Options

  enum Version {
    case first
    /// Other content, with the first one's timestamp or one of its own.
    case changed(number: Int, hasFirstTimestamp: Bool)
  }

  private static let cities: [(city: [UInt8], country: [UInt8])] = [
    ("Amsterdam", "The Netherlands"), ("Rotterdam", "The Netherlands"), ("Berlin", "Germany"),
    ("München", "Germany"), ("Köln", "Germany"), ("Wien", "Austria"), ("Zürich", "Switzerland"),
    ("Genève", "Switzerland"), ("Paris", "France"), ("Lyon", "France"), ("Madrid", "Spain"),
    ("A Coruña", "Spain"), ("Lisboa", "Portugal"), ("Roma", "Italy"), ("Torino", "Italy"),
    ("Kraków", "Poland"), ("Łódź", "Poland"), ("Praha", "Czechia"), ("Brno", "Czechia"),
    ("Budapest", "Hungary"), ("København", "Denmark"), ("Malmö", "Sweden"), ("Oslo", "Norway"),
    ("Tromsø", "Norway"), ("Helsinki", "Finland"), ("Tallinn", "Estonia"), ("Athens", "Greece"),
    ("Istanbul", "Türkiye"), ("Cairo", "Egypt"), ("Nairobi", "Kenya"),
    ("Cape Town", "South Africa"),
    ("São Paulo", "Brazil"), ("Buenos Aires", "Argentina"), ("Bogotá", "Colombia"),
    ("Mexico City", "Mexico"), ("Toronto", "Canada"), ("Chicago", "United States"),
    ("東京", "Japan"), ("서울", "South Korea"), ("Auckland", "New Zealand"),
  ].map { (Array($0.0.utf8), Array($0.1.utf8)) }

  private static let words: [[UInt8]] = [
    "a", "quiet", "place", "near", "the", "river", "with", "old", "trees", "and", "benches", "open",
    "every", "day", "from", "nine", "until", "dusk", "known", "for", "its", "view", "over",
    "harbour",
    "free", "entry", "on", "Sundays", "guided", "tours", "start", "at", "gate", "dogs", "welcome",
    "built", "in", "restored", "café", "terrace", "said", "to", "be", "\\\"the best\\\"",
    "of", "town",
  ].map { Array($0.utf8) }
  private static let firstSecond = 1_577_836_800
  private static let secondSpan = 6 * 365 * 86_400

  /// Appends the record of `place` in `version`, without separators.
  func append(place: Int, version: Version, to output: inout OutputBuffer) {
    var fixed = SplitMix64(UInt64(options.seed), UInt64(place))
    var identifier = (fixed.next(), fixed.next())
    identifier.0 = identifier.0 & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    identifier.1 = identifier.1 & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let town = Self.cities[fixed.next(below: Self.cities.count)]
    let category = fixed.next(below: options.categoryCount)
    var second = Self.firstSecond + fixed.next(below: Self.secondSpan)

    var changing: SplitMix64
    switch version {
    case .first:
      changing = SplitMix64(UInt64(options.seed), UInt64(place), 0)
    case .changed(let number, let hasFirstTimestamp):
      changing = SplitMix64(UInt64(options.seed), UInt64(place), UInt64(number))
      if !hasFirstTimestamp {
        // Before or after the first timestamp, never equal.
        let distance = 1 + changing.next(below: 30 * 86_400)
        second += changing.next() & 1 == 0 ? distance : -distance
      }
    }

    let isFeature = options.format == .geojson
    if isFeature {
      output.append(#"{"type":"Feature","geometry":{"type":"Point","coordinates":["#)
      let (longitude, latitude) = (changing.next(), changing.next())
      appendLongitude(longitude, to: &output)
      output.append(",")
      appendLatitude(latitude, to: &output)
      output.append(#"]},"properties":{"address":"Address "#)
      appendDetails(place: place, town: town, from: &changing, to: &output)
    } else {
      let (longitude, latitude) = (changing.next(), changing.next())
      output.append(#"{"address":"Address "#)
      appendDetails(place: place, town: town, from: &changing, to: &output)
      output.append(#","longitude":"#)
      appendLongitude(longitude, to: &output)
      output.append(#","latitude":"#)
      appendLatitude(latitude, to: &output)
    }
    output.append(#","identifier":""#)
    appendIdentifier(identifier, to: &output)
    output.append(#"","name":"POI "#)
    output.append(place)
    output.append(#"","updatedAt":""#)
    appendInstant(second, to: &output)
    output.append(#"","category":{"name":"Category "#)
    output.append(category)
    output.append(#""}}"#)
    if isFeature { output.append("}") }
  }

  private func appendDetails(
    place: Int, town: (city: [UInt8], country: [UInt8]), from random: inout SplitMix64,
    to output: inout OutputBuffer
  ) {
    output.append(place)
    output.append(#"","city":""#)
    output.append(town.city)
    output.append(#"","country":""#)
    output.append(town.country)
    output.append(#"","information":""#)
    for index in 0..<(10 + random.next(below: 19)) {
      if index > 0 { output.append(byte: 0x20) }
      output.append(Self.words[random.next(below: Self.words.count)])
    }
    output.append(byte: 0x22)
  }

  /// Appends a decimal of 17 digits, which reproduces a double exactly.
  private func appendLongitude(_ random: UInt64, to output: inout OutputBuffer) {
    if random & 1 == 1 { output.append(byte: 0x2D) }
    let degrees = Int((random >> 1) & 0xFFFF) * 180 / 0x1_0000
    output.append(degrees)
    output.append(byte: 0x2E)
    let (width, bound) =
      degrees < 10
      ? (16, 10_000_000_000_000_000)
      : degrees < 100 ? (15, 1_000_000_000_000_000) : (14, 100_000_000_000_000)
    output.append(Int(random >> 17) * 71 % bound, width: width)
  }

  /// Appends a decimal with 15 digits after the point.
  private func appendLatitude(_ random: UInt64, to output: inout OutputBuffer) {
    if random & 1 == 1 { output.append(byte: 0x2D) }
    output.append(Int((random >> 1) & 0xFFFF) * 90 / 0x1_0000)
    output.append(byte: 0x2E)
    output.append(Int(random >> 17) * 7 % 1_000_000_000_000_000, width: 15)
  }

  private func appendIdentifier(_ bits: (UInt64, UInt64), to output: inout OutputBuffer) {
    for index in 0..<32 {
      if index == 8 || index == 12 || index == 16 || index == 20 { output.append(byte: 0x2D) }
      let half = index < 16 ? bits.0 : bits.1
      let digit = UInt8(half >> UInt64(60 - index % 16 * 4) & 0xF)
      output.append(byte: digit < 10 ? 0x30 + digit : 0x37 + digit)
    }
  }

  private func appendInstant(_ second: Int, to output: inout OutputBuffer) {
    // Years begin in March here, so that a leap day is the last day of its year.
    let day = second / 86_400 + 719_468
    let era = day / 146_097
    let dayOfEra = day % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    output.append(era * 400 + yearOfEra + (month <= 2 ? 1 : 0), width: 4)
    output.append(byte: 0x2D)
    output.append(month, width: 2)
    output.append(byte: 0x2D)
    output.append(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1, width: 2)
    output.append(byte: 0x54)
    output.append(second % 86_400 / 3_600, width: 2)
    output.append(byte: 0x3A)
    output.append(second % 3_600 / 60, width: 2)
    output.append(byte: 0x3A)
    output.append(second % 60, width: 2)
    output.append(byte: 0x5A)
  }
}
