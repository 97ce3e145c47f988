internal import JSONStreaming
internal import POIRecords

extension ModelDraft {
  /// The column for a place; nil, after noting the omission, if no column can store every value.
  mutating func scalarColumn(
    _ seen: PathStatistics, pointer: [String]?, nameSteps: [String]
  ) -> InferredColumn? {
    let numbers = seen.numbers
    if numbers.lossyCount > 0, !seen.isBigInteger, !seen.areMost(without: numbers.lossyCount) {
      omit(pointer ?? [], "some numbers fit neither 64 bits nor, exactly, a double")
      return nil
    }
    if seen.isNumber, seen.counts.real > 0, !seen.areMost(without: numbers.wideCount) {
      omit(pointer ?? [], "it mixes decimals with integers beyond 2^53")
      return nil
    }
    var column = InferredColumn(
      pointer: pointer, nameSteps: nameSteps, statistics: seen,
      allowsNull: !isStrict || seen.counts.null > 0, remarks: presence(of: seen),
      isRequired: isStrict && seen.presentCount == recordCount)
    let name = MemberName(nameSteps.last ?? "")
    if isCoordinate(seen, name: name) {
      describeCoordinate(&column, name: name)
    } else if let epoch = seen.epochTexts, name.isTimeLike {
      describeEpoch(&column, unit: epoch.unit, instants: epoch.instants)
      column.types = ["integer"]
      set("x-lenient", .bool(true), of: &column)
      column.remarks.append("written as text")
    } else if seen.isBigInteger {
      column.types = ["number"]
      column.canBeKey = true
      set("x-digits", .bool(true), of: &column)
      column.remarks.append(
        "\(numbers.bigCount) have more than 64 bits, so the digits of all are kept as text")
    } else if seen.isText {
      describeText(&column)
    } else if !isStrict, seen.isLenientNumber {
      describeLenientNumber(&column, name: name)
    } else if seen.isNumber, let epoch = seen.epoch, name.isTimeLike {
      describeEpoch(&column, unit: epoch.unit, instants: epoch.instants)
    } else if seen.isInteger {
      describeInteger(&column, name: name)
    } else {
      describeOther(&column)
    }
    return column
  }

  static func types(_ names: [String]) -> JSONValue {
    names.count == 1 ? .string(names[0]) : .array(names.map(JSONValue.string))
  }

  private func set(_ keyword: String, _ value: JSONValue, of column: inout InferredColumn) {
    column.schema.append(JSONValue.Member(name: keyword, value: value))
  }

  // MARK: Coordinates

  /// Whether all values are latitudes or longitudes, as numbers or text.
  private func isCoordinate(_ seen: PathStatistics, name: MemberName) -> Bool {
    guard name.isLatitude || name.isLongitude else { return false }
    let limit = name.isLatitude ? 90.0 : 180.0
    return seen.numbers.bounds.areIn(-limit...limit)
      && seen.isMost(
        seen.counts.number + seen.texts.numericCount + (isStrict ? 0 : seen.texts.emptyCount)
          + (hasDecimalComma(seen) ? seen.numerals.commaCount : 0))
  }

  /// Whether all texts in rows are numbers with a decimal comma; the name tells that they are no thousands.
  private func hasDecimalComma(_ seen: PathStatistics) -> Bool {
    seen.numerals.commaCount > 0
      && seen.numerals.commaCount == seen.counts.string - seen.texts.emptyCount
  }

  private func describeCoordinate(_ column: inout InferredColumn, name: MemberName) {
    column.types = ["number"]
    if isStrict {
      let limit = name.isLatitude ? 90 : 180
      set("minimum", .number(-limit), of: &column)
      set("maximum", .number(limit), of: &column)
    }
    if column.statistics.counts.string > 0 {
      let hasComma = hasDecimalComma(column.statistics)
      set(hasComma ? "x-decimal-comma" : "x-lenient", .bool(true), of: &column)
      acceptEmpty(&column)
      column.remarks.append(hasComma ? "with a decimal comma" : "written as text")
    }
    column.remarks.append(numbers(of: column.statistics))
  }

  // MARK: Text

  /// Lets an empty text mean null, as it does in many sources.
  private func acceptEmpty(_ column: inout InferredColumn) {
    if !isStrict { set("x-empty-as-null", .bool(true), of: &column) }
  }

  private func describeText(_ column: inout InferredColumn) {
    let (seen, texts) = (column.statistics, column.statistics.texts)
    column.types = ["string"]
    column.canBeKey = true
    if let format = seen.format {
      if isStrict {
        set("format", .string(format.name), of: &column)
      } else {
        let isAll = texts.formatCounts[Int(format.rawValue)] == seen.valueCount
        column.remarks.append("\(isAll ? "all" : "most") have the format \(format.name)")
      }
      column.canBeKey = format != .date && format != .time
      // Many dates are the day of an event; the name tells which are the last change.
      if format == .date, MemberName(column.nameSteps.last ?? "").versionRank ?? 2 < 2 {
        column.instants = seen.moments.bounds
        if !isStrict { set("format", .string(format.name), of: &column) }
        acceptEmpty(&column)
      }
      column.remarks.append(variety(of: seen))
    } else if seen.isDateTime && (!isStrict || texts.emptyCount == 0) || seen.datePattern != nil {
      acceptEmpty(&column)
      column.canBeKey = false
      let times = seen.moments
      column.instants = times.bounds
      if seen.mixesZones {
        set("format", .string(TextFormat.timestamp.name), of: &column)
        column.remarks.append(
          "\(times.zonelessCount) have no zone, others do: kept as text, read in UTC as timestamps")
      } else {
        set("format", .string(TextFormat.dateTime.name), of: &column)
        if let pattern = seen.datePattern {
          set("x-date-pattern", .string(pattern.text), of: &column)
        }
        if times.zonedCount == 0 {
          set("x-zone", .string("UTC"), of: &column)
          column.remarks.append("\(times.zonelessCount) have no zone: UTC is a guess, set x-zone")
        }
      }
      column.remarks.append(moments(of: times.bounds))
    } else {
      if texts.holdsNUL {
        set("x-allow-nul", .bool(true), of: &column)
        column.remarks.append("some hold U+0000")
      }
      column.remarks.append(variety(of: seen))
      if fewValues(of: seen) == nil {
        column.remarks.append(range(of: texts.lengths, "characters"))
      }
      if texts.lengths.least == 0 {
        column.remarks.append(
          "some are empty: \"x-empty-as-null\": true, with null among the types, reads them as null"
        )
      }
      column.numeral = seen.numeral
      describeNumerals(&column)
      if column.numeral == nil, texts.numericCount == seen.counts.string,
        !seen.numerals.hasLeadingZero
      {
        let type = texts.integerCount == seen.counts.string ? "integer" : "number"
        column.remarks.append(
          "all are numbers written as text: left as text, because codes are; \"type\": \"\(type)\" "
            + "with \"x-lenient\": true keeps them as numbers")
      }
    }
  }

  /// Says how texts in rows could be read that stay texts.
  private func describeNumerals(_ column: inout InferredColumn) {
    let (seen, numerals) = (column.statistics, column.statistics.numerals)
    if numerals.hasLeadingZero {
      column.remarks.append("some begin with a zero: left as text, because codes do")
    }
    if column.numeral == nil, hasDecimalComma(seen) {
      column.remarks.append(
        "numbers with a comma before three digits: left as text, because they may be thousands; "
          + "\"type\": \"number\" with \"x-decimal-comma\": true reads decimals")
    }
    guard numerals.dayCount > 0, seen.isMost(numerals.dayCount + seen.texts.emptyCount) else {
      return
    }
    let separator = String(numerals.firstDay.first { !$0.isNumber } ?? "/")
    let patterns = [
      numerals.greatestParts.1 <= 12 ? ["dd", "MM", "yyyy"] : nil,
      numerals.greatestParts.0 <= 12 ? ["MM", "dd", "yyyy"] : nil,
    ].compactMap { $0?.joined(separator: separator) }
    guard !patterns.isEmpty else { return }
    column.remarks.append(
      "left as text: \"format\": \"date\" with \"x-date-pattern\": "
        + patterns.map { "\"\($0)\"" }.joined(separator: " or ")
        + " reads \(numerals.firstDay) as a date")
  }

  /// Makes texts in rows numbers or booleans, unless they are the key.
  func readNumerals(of column: inout InferredColumn) {
    guard let (type, hasComma) = column.numeral else { return }
    let isMeasure =
      type == "integer" && !isStrict && MemberName(column.nameSteps.last ?? "").isMeasured
    column.types = [isMeasure ? "number" : type]
    set(hasComma ? "x-decimal-comma" : "x-lenient", .bool(true), of: &column)
    if column.statistics.texts.emptyCount > 0 { acceptEmpty(&column) }
  }

  // MARK: Numbers and the rest

  private func describeEpoch(
    _ column: inout InferredColumn, unit: EpochUnit, instants: ClosedBounds<Int64>
  ) {
    column.types = [isStrict && column.statistics.isInteger ? "integer" : "number"]
    set("x-unit", .string(unit.rawValue), of: &column)
    column.instants = instants
    column.remarks.append("the unit is a guess by name and size: \(moments(of: instants))")
  }

  /// Notes numbers of several units of time, none of which is right for all.
  private func noteUnits(of column: inout InferredColumn, name: MemberName) {
    let units = column.statistics.numbers.epochUnits
    guard name.isTimeLike, units.count > 1 else { return }
    column.remarks.append("not a moment: it holds " + units.joined(separator: " and "))
  }

  /// Describes numbers of which a few are written as text, or as an empty text for an unknown one.
  private func describeLenientNumber(_ column: inout InferredColumn, name: MemberName) {
    let seen = column.statistics
    if let epoch = seen.epoch, name.isTimeLike {
      describeEpoch(&column, unit: epoch.unit, instants: epoch.instants)
    } else {
      let isInteger = seen.counts.real == 0 && seen.texts.integerCount == seen.texts.numericCount
      column.types = [isInteger ? "integer" : "number"]
      column.canBeKey = isInteger
      column.remarks.append(numbers(of: seen))
    }
    set("x-lenient", .bool(true), of: &column)
    acceptEmpty(&column)
    column.remarks.append("\(seen.counts.string) are written as text")
  }

  private func describeInteger(_ column: inout InferredColumn, name: MemberName) {
    let seen = column.statistics
    let isMeasure = !isStrict && name.isMeasured && seen.numbers.wideCount == 0
    column.types = [isMeasure ? "number" : "integer"]
    column.canBeKey = true
    column.remarks.append(variety(of: seen))
    if fewValues(of: seen) == nil { column.remarks.append(numbers(of: seen)) }
    noteUnits(of: &column, name: name)
    if let epoch = seen.epoch, name.keyKind == .code || name.keyKind == .other {
      column.remarks.append("if they are moments, say \"x-unit\": \"\(epoch.unit.rawValue)\"")
    }
  }

  private func describeOther(_ column: inout InferredColumn) {
    let seen = column.statistics
    let counts = [
      ("string", seen.counts.string), ("number", seen.counts.real),
      ("integer", seen.counts.real > 0 ? 0 : seen.counts.integer), ("boolean", seen.counts.boolean),
      ("object", seen.counts.object), ("array", seen.counts.array),
    ]
    var types = counts.filter { seen.isMost($0.1) }.map(\.0)
    if types.isEmpty { types = counts.filter { $0.1 > 0 }.map(\.0) }
    if types.count > 1, types.contains("boolean"), seen.admitsMisfits {
      // A column of several types stores true as 1.
      let isMain = seen.counts.boolean * 2 >= seen.valueCount
      types = isMain ? ["boolean"] : types.filter { $0 != "boolean" }
    }
    guard !types.isEmpty else {
      column.remarks.append(
        isStrict ? "always null here: the type is a guess" : "always null here")
      column.types = isStrict ? ["string"] : Self.allTypes(seen)
      return
    }
    column.types = isStrict ? types : Self.widened(types, seen)
    column.canBeKey = seen.isNearlyCode
    if seen.texts.holdsNUL, column.types.contains("string") {
      set("x-allow-nul", .bool(true), of: &column)
    }
    if seen.isObject || seen.isArray {
      column.remarks.append("kept as JSON")
      if seen.isArray { column.remarks.append(range(of: seen.elementCounts, "elements")) }
      if seen.holdsObjects {
        column.remarks.append("\"x-relation\" can make the objects in it rows of their own")
      }
    } else if types.count > 1 {
      column.remarks.append(
        types.contains("boolean")
          ? "values of several types: true and false are kept as 1 and 0"
          : "values of several types, each kept as it comes")
    } else if seen.isNumber {
      column.remarks.append(numbers(of: seen))
      noteUnits(of: &column, name: MemberName(column.nameSteps.last ?? ""))
    } else if types == ["boolean"] {
      column.remarks.append(booleans(of: seen))
      if MemberName(column.nameSteps.last ?? "").isRemovalLike {
        column.remarks.append(
          "if true says that the record was removed, say \"x-tombstone\" at the root")
      }
    }
  }

  /// A column of several types stores true as 1, so booleans are kept beside it, except those in a key.
  private static func allTypes(_ seen: PathStatistics) -> [String] {
    ["string", "number"] + (seen.admitsMisfits ? [] : ["boolean"]) + ["object", "array"]
  }

  /// All types that a column for values of these types can store.
  private static func widened(_ types: [String], _ seen: PathStatistics) -> [String] {
    switch types {
    case ["boolean"], ["number"]: types
    case ["object"], ["array"], ["object", "array"]: ["object", "array"]
    default: allTypes(seen)
    }
  }

  // MARK: Comments

  /// The numbers of records without the member, with null, and with a repeated member.
  func presence(of seen: PathStatistics) -> [String] {
    let absent = recordCount - seen.presentCount
    return (absent > 0 ? ["absent in \(absent) of \(recordCount)"] : [])
      + (seen.counts.null > 0 ? ["null in \(seen.counts.null)"] : [])
      + (seen.repeatedCount > 0 ? ["twice in \(seen.repeatedCount), which are rejected"] : [])
  }

  func amount(_ counter: DistinctCounter) -> String {
    (counter.isExact ? "" : "more than ") + "\(counter.count)"
  }

  /// The values, if they are few and repeat.
  private func fewValues(of seen: PathStatistics) -> [String]? {
    guard let values = seen.values, values.count == 1 || values.count * 2 <= seen.valueCount
    else { return nil }
    return values
  }

  private func variety(of seen: PathStatistics) -> String {
    guard let values = fewValues(of: seen) else {
      return "\(amount(seen.distinct)) different values"
    }
    return values.count == 1 ? "always \(values[0])" : "one of " + values.joined(separator: ", ")
  }

  private func booleans(of seen: PathStatistics) -> String {
    seen.values?.count == 1 ? "always \(seen.values?.first ?? "")" : "true or false"
  }

  private func range(of bounds: ClosedBounds<Int>, _ unit: String) -> String {
    let (least, greatest) = (bounds.least ?? 0, bounds.greatest ?? 0)
    return least == greatest ? "\(least) \(unit)" : "\(least) to \(greatest) \(unit)"
  }

  private func numbers(of seen: PathStatistics) -> String {
    if seen.isInteger, let range = seen.numbers.integers.range {
      return "\(range.lowerBound) to \(range.upperBound)"
    }
    return "\(seen.numbers.bounds.least ?? 0) to \(seen.numbers.bounds.greatest ?? 0)"
  }

  private func moments(of instants: ClosedBounds<Int64>) -> String {
    instants.range.map {
      "\(Instant(microseconds: $0.lowerBound)) to \(Instant(microseconds: $0.upperBound))"
    } ?? ""
  }
}
