package import JSONStreaming
internal import POIFiles
internal import POIRecords

/// The coordinate reference system of GeoJSON.
package enum ReferenceSystem {
  /// The ends of the names of WGS 84, in degrees, and of ETRS89 and NAD83, which differ by about a metre.
  private static let names = [
    "4326", "4979", "84", "crs84", "crs84h", "wgs84", "wgs_1984", "4258", "4269",
  ]

  /// The pointer of the name in the member `crs` beside Features; nil for records elsewhere.
  ///
  /// Page: RFC 7946, section 4, and the format of 2008 that it refers to
  package static func pointer(beside records: ElementShape) -> JSONPointer? {
    guard case .container(let pointer) = records, pointer.wildcards.isEmpty,
      pointer.tokens.last?.isExactly("features") == true
    else { return nil }
    return JSONPointer(tokens: pointer.tokens.dropLast() + ["crs", "properties", "name"])
  }

  /// - Parameter name: the name at this pointer; nil without it.
  /// - Throws: `StoreError` with `unreadable` if the name is not one of WGS 84.
  package static func check(_ name: String?, of input: String) throws(StoreError) {
    guard let name, let end = name.split(whereSeparator: { ":/#".contains($0) }).last,
      !names.contains(end.lowercased().filter { $0 != " " })
    else { return }
    throw error("the member crs names \(JSONText.quoted(name))", in: input)
  }

  /// - Parameter reason: why positions are not degrees of WGS 84.
  package static func error(_ reason: String, in input: String) -> StoreError {
    let file = input == FileSource.standardInputName ? "in.geojson" : input
    return StoreError(
      .unreadable,
      "\(input): \(reason), but positions are read in degrees of WGS 84; this converts the file: "
        + "ogr2ogr -t_srs EPSG:4326 wgs84.geojson \(file.shellWord)")
  }
}
