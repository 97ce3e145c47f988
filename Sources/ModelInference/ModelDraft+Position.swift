internal import POIRecords

/// The attributes that are the position of a record.
extension ModelDraft {
  /// The columns of the only position, and what the comment says of several ones.
  var position: (columns: (latitude: Int, longitude: Int)?, remark: String?) {
    var pairs: [(latitude: Int, longitude: Int)] = []
    for latitude in columns.indices {
      guard let frame = frame(of: columns[latitude], isLatitude: true) else { continue }
      let partners = columns.indices.filter {
        frame == self.frame(of: columns[$0], isLatitude: false)
      }
      if partners.count == 1 { pairs.append((latitude, partners[0])) }
    }
    if pairs.count < 2 { return (pairs.first, nil) }
    let names = pairs.prefix(8).map {
      "\(columns[$0.latitude].name) with \(columns[$0.longitude].name)"
    }
    return (
      nil,
      "No position: there are several, \(names.joined(separator: ", ")); name the record's own with "
        + "x-coordinates."
    )
  }

  /// What surrounds the word for latitude or longitude in the place of a column of degrees, so that it is equal for
  /// both; nil for other columns.
  private func frame(of column: InferredColumn, isLatitude: Bool) -> String? {
    let name = MemberName(column.nameSteps.last ?? "")
    guard let pointer = column.pointer, isLatitude ? name.isLatitude : name.isLongitude,
      column.types == ["number"],
      column.statistics.numbers.bounds.areIn(isLatitude ? -90...90 : -180...180)
    else { return nil }
    let rest = name.words.filter { !MemberName.axes.contains($0) }
    return (pointer.dropLast() + ["/"] + rest).joined(separator: "/")
  }

  /// Whether the first element of `coordinates` is the longitude, as in GeoJSON; the values decide only if one of the
  /// two is beyond 90 degrees.
  func beginsWithLongitude(_ elements: [Int]) -> Bool {
    let isLatitude = elements.prefix(2).map { places[$0].numbers.bounds.areIn(-90...90) }
    return isLatitude != [true, false]
  }
}
