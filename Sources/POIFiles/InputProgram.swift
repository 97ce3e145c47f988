internal import JSONStreaming
internal import POIPlatform

/// A program that makes the bytes of an input readable: it decompresses them, or converts a file to JSON or CSV.
struct InputProgram {
  /// The program, found in `PATH`.
  var name: String
  var arguments: [String]
  /// What the input is, such as `is gzip-compressed`.
  var content: String
  /// The command that installs the program.
  var installation: String
  /// What to do about a damaged input.
  var remedy: String
  /// What to do without the program.
  var otherWay = "convert the input elsewhere"
  /// Whether what it writes is UTF-8, whatever the file.
  var writesUTF8 = false
  /// The columns of the input that it does not write.
  var omittedColumns: [String] = []
}

extension Compression {
  /// The program that decompresses, from standard input.
  var inputProgram: InputProgram {
    InputProgram(
      name: program, arguments: arguments, content: "is \(program)-compressed",
      installation: "apt-get install \(package)",
      remedy: "check it with '\(program) -t' or fetch it again",
      otherWay: "decompress the input elsewhere")
  }
}

/// A file in a format that a program converts, and the part of it that is to be read.
struct ConvertedFile {
  /// The path of the file, and the name of a member, layer or sheet; nil for the only one.
  var path: String
  var part: String?
  var isInterrupted: @Sendable () -> Bool

  /// Finds the file in a path that may name a part of it, such as `places.zip/2024.csv`.
  ///
  /// - Returns: the path of the file, and the part behind it.
  static func split(_ path: String) -> (file: String, part: String?) {
    var end = path.endIndex
    while let slash = path[..<end].lastIndex(of: "/"), slash > path.startIndex {
      let file = String(path[..<slash])
      if let size = Descriptor.size(ofFile: file) {
        let part = String(path[path.index(after: slash)...])
        return size >= 0 && !part.isEmpty ? (file, part) : (path, nil)
      }
      end = slash
    }
    return (path, nil)
  }

  /// The program that reads the file.
  ///
  /// - Throws: `InputError` if the file has several parts and none is named, or another one, or if a program that is asked
  ///   for them is missing or fails.
  func program(for format: ForeignFormat) throws(InputError) -> InputProgram? {
    switch format {
    case .zip: try zipProgram()
    case .parquet: try parquetProgram()
    case .geoPackage, .flatGeobuf, .kml: try mapProgram(of: argument)
    case .sqlite, .markup, .largeFilePointer: nil
    }
  }

  /// The path as an argument that is no option.
  private var argument: String { path.hasPrefix("-") ? "./\(path)" : path }

  // MARK: Archives

  private func zipProgram() throws(InputError) -> InputProgram {
    var program = InputProgram(
      name: "bsdtar", arguments: [], content: "is a zip archive",
      installation: "apt-get install libarchive-tools", remedy: "fetch it again")
    let all = try lines(of: program, ["-tf", argument]).filter { !$0.hasSuffix("/") }
    let members = all.filter { !$0.hasPrefix("__MACOSX/") }
    let hasOthers = members.count < all.count
    if members.contains("[Content_Types].xml"), members.contains("xl/workbook.xml") {
      return try sheetProgram(by: program)
    }
    if part == nil, let shape = members.first(where: { $0.lowercased().hasSuffix(".shp") }) {
      let folder = shape.lastIndex(of: "/").map { "/" + shape[..<$0] } ?? ""
      return try mapProgram(of: "/vsizip/\(argument)\(folder)")
    }
    // Then its name, which may be in any encoding, is not needed.
    if part == nil, members.count == 1, !hasOthers {
      program.arguments = ["-xOf", argument]
      return program
    }
    let member = try choose(from: members, "files")
    // A name is a pattern.
    let pattern = member.map { "\\*?[".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    program.arguments = ["-xOf", argument, "--", pattern]
    return program
  }

  private func sheetProgram(by archiver: InputProgram) throws(InputError) -> InputProgram {
    let workbook = try output(of: archiver, ["-xOf", argument, "--", "xl/workbook.xml"])
    let sheets = workbook.components(between: "<sheet ", and: ">").compactMap {
      $0.components(between: "name=\"", and: "\"").first?.withoutEntities
    }
    return InputProgram(
      name: "xlsx2csv", arguments: ["-n", try choose(from: sheets, "sheets"), argument],
      content: "is an Excel workbook", installation: "pipx install xlsx2csv",
      remedy: "save it again as CSV", writesUTF8: true)
  }

  // MARK: Maps

  /// The options of GeoJSON: one feature a line, in degrees of WGS 84.
  private static let mapArguments = [
    "-t_srs", "EPSG:4326", "-lco", "RS=NO", "-lco", "COORDINATE_PRECISION=15",
  ]

  private func mapProgram(of file: String) throws(InputError) -> InputProgram {
    var program = InputProgram(
      name: "ogr2ogr", arguments: [], content: "holds features of a map",
      installation: "apt-get install gdal-bin", remedy: "check it with 'ogrinfo -al'",
      writesUTF8: true)
    var lister = program
    lister.name = "ogrinfo"
    // Lines such as `1: places (Point)`.
    let layers = try lines(of: lister, ["-ro", "-q", file]).compactMap { line -> String? in
      guard let colon = line.firstIndex(of: ":"), Int(line[..<colon]) != nil else { return nil }
      let name = line[colon...].dropFirst(2)
      return String(
        name.hasSuffix(")") ? name[..<(name.lastIndex(of: "(") ?? name.endIndex)] : name
      )
      .trimmingSpace
    }
    let layer = try choose(from: layers, "layers")
    program.arguments =
      ["-f", "GeoJSONSeq", "/vsistdout/", file, layer] + Self.mapArguments
    return program
  }

  // MARK: Parquet

  /// A literal of SQL.
  private static func literal(_ text: String) -> String {
    "'\(text.map { $0 == "'" ? "''" : "\($0)" }.joined())'"
  }

  private static func identifier(_ name: String) -> String {
    "\"\(name.map { $0 == "\"" ? "\"\"" : "\($0)" }.joined())\""
  }

  private func parquetProgram() throws(InputError) -> InputProgram {
    var program = InputProgram(
      name: "duckdb", arguments: [], content: "is a Parquet file",
      installation: "pipx install duckdb-cli", remedy: "fetch it again", writesUTF8: true)
    // The path is a pattern.
    let pattern = argument.map { "*?[".contains($0) ? "[\($0)]" : "\($0)" }.joined()
    let table = "read_parquet(\(Self.literal(pattern)))"
    // A comma between the two is in no type before it.
    let columns = try lines(
      of: program,
      [
        "-no-init", "-list", "-noheader", "-c",
        "SELECT column_type || chr(1) || column_name FROM (DESCRIBE SELECT * FROM \(table))",
      ]
    ).compactMap { line -> (type: String, name: String)? in
      let parts = line.split(separator: "\u{1}", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
    let replaced = columns.compactMap { type, column -> String? in
      let name = Self.identifier(column)
      return switch type {
      case "FLOAT", "DOUBLE": "CASE WHEN isfinite(\(name)) THEN \(name) END AS \(name)"
      case "HUGEINT", "UHUGEINT": "CAST(\(name) AS VARCHAR) AS \(name)"
      case _ where type.hasPrefix("DECIMAL"): "CAST(\(name) AS VARCHAR) AS \(name)"
      case "TIMESTAMP_NS": "CAST(\(name) AS TIMESTAMP) AS \(name)"
      default: nil
      }
    }
    program.omittedColumns = columns.filter { $0.type == "BLOB" }.map(\.name)
    let excluded = program.omittedColumns.map(Self.identifier)
    let selection =
      "*" + (excluded.isEmpty ? "" : " EXCLUDE (\(excluded.joined(separator: ", ")))")
      + (replaced.isEmpty ? "" : " REPLACE (\(replaced.joined(separator: ", ")))")
    program.arguments = [
      "-no-init", "-c",
      "SET threads=1; SET TimeZone='UTC'; COPY (SELECT \(selection) FROM \(table)) TO '/dev/stdout' "
        + "(FORMAT json, TIMESTAMPFORMAT '%Y-%m-%dT%H:%M:%S.%fZ')",
    ]
    return program
  }

  // MARK: Parts

  /// The part that is named, or the only one.
  private func choose(from names: [String], _ kind: String) throws(InputError) -> String {
    if let part {
      guard names.contains(part) else { throw otherPart("has no \(part)", names, kind) }
      return part
    }
    guard names.count == 1 else {
      throw otherPart("has \(names.count) \(kind)", names, kind)
    }
    return names[0]
  }

  private func otherPart(_ what: String, _ names: [String], _ kind: String) -> InputError {
    let shown = names.prefix(10).joined(separator: ", ") + (names.count > 10 ? ", …" : "")
    return InputError(
      code: .notJSON, path: path,
      message: names.isEmpty
        ? "has no \(kind) to read"
        : "\(what); name one of its \(kind) behind the path, as \(path)/\(names[0]): \(shown)")
  }

  private func lines(
    of program: InputProgram, _ arguments: [String]
  ) throws(InputError) -> [String] {
    try output(of: program, arguments).split(whereSeparator: \.isNewline).map(String.init)
  }

  /// What a program says of the file.
  private func output(
    of program: InputProgram, _ arguments: [String]
  ) throws(InputError) -> String {
    let run: ProgramRun
    do throws(SystemError) {
      run = try ProgramRun(
        program.name, arguments, input: [], attachment: .none, isInterrupted: isInterrupted)
    } catch {
      throw program.startFailure(error, path)
    }
    guard run.exitCode == 0 else {
      let how = run.exitCode.map { "failed with exit code \($0)" } ?? "was killed by a signal"
      throw program.failure(how, said: run.messages, path)
    }
    return String(decoding: run.output, as: UTF8.self)
  }
}

extension InputProgram {
  /// The error if the program cannot be started.
  func startFailure(_ error: SystemError, _ inputName: String) -> InputError {
    if error.number == ENOENT {
      return InputError(
        code: .programMissing, path: inputName,
        message:
          "\(content) and \(name) is not installed; install it ('\(installation)') or \(otherWay)")
    }
    if error.number == EINTR { return InputError(reading: inputName, error) }
    return InputError(
      code: .programFailed, path: inputName,
      message: "cannot start \(name): \(error.text); \(otherWay) and import the result")
  }

  /// The error if the program ended without success.
  ///
  /// - Parameters:
  ///   - how: such as `failed with exit code 1`.
  ///   - said: what it wrote to standard error.
  func failure(_ how: String, said: [UInt8], _ inputName: String) -> InputError {
    let text = String(decoding: said, as: UTF8.self)
      .split(whereSeparator: \.isNewline).prefix(3).joined(separator: "; ").prefix(400)
    return InputError(
      code: .programFailed, path: inputName,
      message:
        "\(name) \(how)\(text.isEmpty ? "" : ": \(text)"); the input is damaged or incomplete: "
        + remedy)
  }
}

extension String {
  /// The parts between two marks.
  fileprivate func components(between start: String, and end: String) -> [Substring] {
    split(separator: start, omittingEmptySubsequences: false).dropFirst().map { part in
      part.firstRange(of: end).map { part[..<$0.lowerBound] } ?? part
    }
  }

  fileprivate var trimmingSpace: String { hasSuffix(" ") ? String(dropLast()) : self }
}

extension Substring {
  fileprivate func components(between start: String, and end: String) -> [Substring] {
    String(self).components(between: start, and: end)
  }

  /// The text of an XML attribute.
  fileprivate var withoutEntities: String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")].reduce(
      String(self)
    ) {
      $0.replacing($1.0, with: $1.1)
    }
  }
}
