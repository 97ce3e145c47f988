import POISQLite
import POITestSupport
import Testing

/// Tables shaped as Core Data writes them: their references are no foreign keys.
@Suite struct UndeclaredReferenceToolTests {
  private let tool = Tool("poi-dedup")

  private static let references = [
    "Z_1TAGS.Z_2TAGS=ZTAG", "Z_1TAGS.Z_1ISSUES=ZISSUE", "ZCOMMENT.ZISSUE=ZISSUE",
  ]

  private static func arguments(_ references: [String]) -> [String] {
    references.flatMap { ["--references", $0] }
  }

  private static func makeStore(_ path: String) throws {
    try Connection(path: path).execute(
      """
      CREATE TABLE ZISSUE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR);
      CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID VARCHAR);
      CREATE TABLE ZCOMMENT (
        Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISSUE INTEGER, ZTEXT VARCHAR);
      CREATE INDEX ZCOMMENT_ZISSUE_INDEX ON ZCOMMENT (ZISSUE);
      CREATE TABLE Z_1TAGS (
        Z_1ISSUES INTEGER, Z_2TAGS INTEGER, PRIMARY KEY (Z_1ISSUES, Z_2TAGS));
      INSERT INTO ZTAG VALUES (1, 2, 1, 'red'), (2, 2, 3, 'blue'), (3, 2, 2, 'red'), (4, 2, 1, 'red'),
        (5, 2, 1, 'blue');
      INSERT INTO ZISSUE VALUES (1, 1, 1, 'Leak'), (2, 1, 5, 'Noise'), (3, 1, 2, 'Leak'),
        (4, 1, 1, 'Noise');
      INSERT INTO ZCOMMENT VALUES (1, 3, 1, 1, 'a'), (2, 3, 1, 2, 'b'), (3, 3, 1, 3, 'c'),
        (4, 3, 1, 4, 'd'), (5, 3, 1, NULL, 'e');
      INSERT INTO Z_1TAGS VALUES (1, 1), (1, 3), (1, 2), (2, 2), (2, 5), (3, 4), (3, 5), (4, 1), (4, 2);
      """)
  }

  private static let tables = ["ZISSUE", "ZTAG", "ZCOMMENT", "Z_1TAGS"]

  private static func dump(_ path: String) throws -> [String] {
    try tables.flatMap {
      try DedupToolTests.dump(path, "SELECT rowid, * FROM \(name: $0) ORDER BY 1")
    }
  }

  @Test func `folding a store of Core Data leaves no dangling reference and is undone`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("core.sqlite")
    try Self.makeStore(path)
    let before = try Self.dump(path)
    func run(_ arguments: [String]) throws -> Tool.Outcome {
      try tool.run(["-s", "core.sqlite"] + arguments, in: folder.path)
    }
    let tags = ["-t", "ZTAG", "-k", "ZID", "--ignore", "Z_OPT"]
    let issues = ["-t", "ZISSUE", "-k", "ZTITLE", "--ignore", "Z_OPT"]

    // Unnamed references are not followed; the tool warns.
    let plan = try run(tags + ["--dry-run"])
    #expect(plan.exitCode == 0)
    #expect(plan.messages.contains("name it with --references Z_1TAGS.Z_2TAGS=ZTAG"), "\(plan)")
    #expect(try run(["--dangling"]).output == "no references\n")
    let unnamed = try run(issues)
    #expect(unnamed.messages.contains("--references ZCOMMENT.ZISSUE=ZISSUE"), "\(unnamed)")
    let dangling = try run(["--dangling"] + Self.arguments(Self.references))
    #expect(dangling.exitCode == 1)
    #expect(
      dangling.output.contains("ZCOMMENT.ZISSUE    2  without a row of ZISSUE: "), "\(dangling)")
    #expect(try run(["--undo"]).exitCode == 0)
    #expect(try Self.dump(path) == before)

    let first = try run(tags + Self.arguments([Self.references[0]]))
    #expect(first.exitCode == 0 && !first.messages.contains("looks like"), "\(first)")
    let second = try run(issues + Self.arguments(Array(Self.references[1...])))
    #expect(second.exitCode == 0 && !second.messages.contains("looks like"), "\(second)")
    let sound = try run(["--dangling"])
    #expect(sound.exitCode == 0)
    #expect(
      sound.output == """
        ZCOMMENT.ZISSUE    0  without a row of ZISSUE
        Z_1TAGS.Z_1ISSUES  0  without a row of ZISSUE
        Z_1TAGS.Z_2TAGS    0  without a row of ZTAG

        """)
    let report = try run(["--dangling", "--report", "json"])
    #expect(report.output.contains(#""dangling": 0"#), "\(report.output)")
    #expect(try run(["--undo"]).exitCode == 0)
    #expect(try run(["--undo"]).exitCode == 0)
    #expect(try Self.dump(path) == before)
  }

  @Test(
    arguments: [
      "ZTAG", "Z_1TAGS=ZTAG", "Z_1TAGS.Z_2TAGS=", ".Z_2TAGS=ZTAG", "Z_1TAGS.=ZTAG", "a.b=c.",
    ])
  func `a reference without its parts is refused`(text: String) throws {
    let folder = try ScratchFolder()
    try Self.makeStore(folder.file("core.sqlite"))
    let before = try Self.dump(folder.file("core.sqlite"))
    let outcome = try tool.run(
      ["-s", "core.sqlite", "-t", "ZTAG", "-k", "ZID", "--references", text], in: folder.path)
    #expect(outcome.exitCode == 64)
    #expect(outcome.messages.contains("'\(text)' is not a reference such as"), "\(outcome)")
    #expect(try Self.dump(folder.file("core.sqlite")) == before)
  }

  @Test func `names that do not exist are refused before anything changes`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("core.sqlite")
    try Self.makeStore(path)
    for extra in [
      ["--references", "Z_1TAGS.X=ZTAG"], ["--ignore", "X"],
      ["--references", "Z_1TAGS.Z_2TAGS=ZTAG", "-k", "X"],
    ] {
      let outcome = try tool.run(
        ["-s", "core.sqlite", "-t", "ZTAG", "-k", "ZID"] + extra, in: folder.path)
      #expect(outcome.exitCode == 64 && outcome.messages.contains("no column 'X'"), "\(outcome)")
      let made = try DedupToolTests.dump(
        path, "SELECT name FROM sqlite_schema WHERE name GLOB 'poikit*'")
      #expect(made == [])
    }
  }

  @Test func `two devices choose the same winners if columns of one device are ignored`() throws {
    let folder = try ScratchFolder()
    func makeDevice(_ name: String, seed: UInt64) throws {
      var generator = SplitMix64(seed: seed)
      let device = try Connection(path: folder.file(name))
      try device.execute(
        "CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_OPT INTEGER, ZID VARCHAR, ZNAME VARCHAR)")
      let ids = (1...600).shuffled(using: &generator)
      try device.inTransaction {
        for (index, id) in ids.enumerated() {
          let (tag, name) = (Int64(index % 200), Int64(index))
          let edits = Int64.random(in: 1...9, using: &generator)
          try device.execute(
            "INSERT INTO ZTAG VALUES (\(Int64(id)), \(edits), \(tag), 'n' || \(name))")
        }
      }
    }
    let seeds: [UInt64] = [11, 12]
    func winners(_ extra: [String]) throws -> [[String]] {
      try seeds.map { seed in
        let name = "device\(seed)\(extra.count).sqlite"
        try makeDevice(name, seed: seed)
        let outcome = try tool.run(
          ["-s", name, "-t", "ZTAG", "-k", "ZID"] + extra, in: folder.path)
        #expect(outcome.exitCode == 0, "\(outcome)")
        return try DedupToolTests.dump(
          folder.file(name), "SELECT ZID, ZNAME FROM ZTAG ORDER BY 1, 2")
      }
    }
    func sameCount(_ tables: [[String]]) -> Int { Set(tables[0]).intersection(tables[1]).count }
    #expect(try sameCount(winners([])) < 200, "seeds \(seeds)")
    #expect(try sameCount(winners(["--ignore", "Z_OPT"])) == 200, "seeds \(seeds)")
  }

  @Test func `a deduplication waits as long as it is told`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("core.sqlite")
    try Self.makeStore(path)
    let other = try Connection(path: path)
    try other.execute("BEGIN IMMEDIATE")
    let arguments = ["-s", "core.sqlite", "-t", "ZTAG", "-k", "ZID", "--busy", "0s"]
    let refused = try tool.run(arguments, in: folder.path)
    #expect(refused.exitCode == 74, "\(refused)")
    other.rollback()
    #expect(try tool.run(arguments, in: folder.path).exitCode == 0)
  }
}
