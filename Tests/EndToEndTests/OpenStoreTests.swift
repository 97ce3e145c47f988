import Glibc
import POIFiles
import POIKit
import POISQLite
import POITestSupport
import Testing

/// Open stores whose files are also named as an input or reject file. Closing a second descriptor
/// of such a file would release the locks of the store.
@Suite struct OpenStoreTests {
  private static func inode(of path: String) -> UInt {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_ino : 0
  }

  private static func append(
    _ range: Range<Int>, to session: inout ImportSession
  ) throws(StoreError) {
    try session.append(Array(ImportToolTests.array(range).utf8).span)
    try session.endInput()
  }

  @Test(arguments: ["poi.sqlite", "poi.sqlite-shm", "link"])
  func `an open store keeps its locks if its file is named for something else`(
    name: String
  ) throws {
    let folder = try ScratchFolder()
    let (path, named) = (folder.file("poi.sqlite"), folder.file(name))
    try folder.write(ImportToolTests.array(100..<200), to: "data.json")
    #expect(unsafe symlink("poi.sqlite", folder.file("link")) == 0)
    var session = try ImportSession(into: Store(path), model: .poi)
    try Self.append(0..<100, to: &session)

    var checking = try ImportSession(checking: .poi)
    let input = #expect(throws: StoreError.self) { try checking.importAll(ofFile: named) }
    #expect(input?.code == .unreadable)
    #expect(
      input?.message == "\(named): is a SQLite database, not JSON; name the JSON to import")
    let model = #expect(throws: ModelError.self) { _ = try Model(contentsOf: named) }
    #expect(model?.message.contains("is not JSON") == true)
    var options = ImportOptions()
    options.rejectFile = named
    let rejects = #expect(throws: StoreError.self) {
      _ = try ImportSession(into: .inMemory(), model: .poi, options: options)
    }
    #expect(rejects?.code == .invalidOptions)
    #expect(rejects?.message.contains("the file is there and holds no rejects") == true)

    // The last connection to close a store removes its log.
    let log = Self.inode(of: path + "-wal")
    let other = try Tool("poi-import").run(["--quiet", "data.json"], in: folder.path)
    #expect(other.exitCode == 0, "\(other)")
    #expect(log != 0 && Self.inode(of: path + "-wal") == log)
    try Self.append(200..<300, to: &session)
    _ = try session.finish()
    _ = consume session
    #expect(try ImportToolTests.content(of: path).count == 300)
  }

  @Test func `an exhausted descriptor limit is reported`() async {
    await #expect(processExitsWith: .success) {
      let folder = try ScratchFolder()
      let path = try folder.write("", to: "data.json")
      var options = ImportOptions()
      options.rejectFile = path
      // No thread of the process opens a file meanwhile.
      var limit = rlimit()
      let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      try #require(unsafe getrlimit(kind, &limit) == 0)
      var lowered = limit
      lowered.rlim_cur = 0
      try #require(unsafe setrlimit(kind, &lowered) == 0)
      var codes: (input: InputError.Code?, rejects: StoreError.Code?)
      do throws(InputError) { _ = try FileSource(path: path) } catch { codes.input = error.code }
      do throws(StoreError) {
        _ = try ImportSession(checking: .poi, options: options)
      } catch {
        codes.rejects = error.code
      }
      try #require(unsafe setrlimit(kind, &limit) == 0)
      #expect(codes.input == .readFailed(errno: EMFILE))
      #expect(codes.rejects == .inputOutput)
    }
  }

  @Test func `another open file is accepted as an input`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(ImportToolTests.array(0..<3), to: "data.json")
    let file = unsafe open(path, O_RDWR | O_CLOEXEC)
    defer { close(file) }
    var session = try ImportSession(into: .inMemory(), model: .poi)
    try session.importAll(ofFile: path)
    #expect(try session.finish().counters.inserted == 3)
  }
}
