import POITestSupport
import Testing

@Suite struct HelpToolTests {
  @Test(arguments: ["poi-import", "poi-dedup", "poi-export", "poi-sync"])
  func `no line of the help is longer than 80 columns`(tool: String) throws {
    let folder = try ScratchFolder()
    for (topic, counts) in [("--help=all", 41...400), ("--help", 10...45), ("--help=store", 1...9)]
    {
      let help = try Tool(tool).run([topic], in: folder.path)
      #expect(help.exitCode == 0 && help.messages.isEmpty)
      let lines = help.output.split(separator: "\n")
      #expect(counts.contains(lines.count), "\(tool) \(topic): \(lines.count) lines")
      for line in lines { #expect(line.unicodeScalars.count <= 80, "\(line)") }
    }
  }
}
