import POITestSupport
import Testing

@Suite struct HelpToolTests {
  @Test(arguments: ["poi-import", "poi-dedup", "poi-export", "poi-sync"])
  func `no line of the help is longer than 80 columns`(tool: String) throws {
    let folder = try ScratchFolder()
    let help = try Tool(tool).run(["--help"], in: folder.path)
    #expect(help.exitCode == 0 && help.messages.isEmpty)
    let lines = help.output.split(separator: "\n")
    #expect(lines.count > 40)
    for line in lines { #expect(line.unicodeScalars.count <= 80, "\(line)") }
  }
}
