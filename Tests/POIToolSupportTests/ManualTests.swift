import Testing

@testable import POIToolSupport

@Suite("CommandDescription+Manual")
struct ManualTests {
  private let command = CommandDescription.example

  @Test func `the page has a title and every option, example and exit status`() {
    let manual = command.manual()
    #expect(
      manual.hasPrefix(#".TH "SIFT\-SAND" "1" "" "sift\-sand 1.2.3" "User Commands""# + "\n"))
    for option in command.options {
      #expect(manual.contains("\\fB\(Roff.escaped(option.flagName))\\fR"))
      for choice in option.choices {
        #expect(
          manual.contains("\\fB\(Roff.escaped(choice.word))\\fR\n\(Roff.escaped(choice.meaning))\n")
        )
      }
    }
    for code in command.exitCodes {
      #expect(manual.contains("\\fB\(code.value)\\fR\n\(Roff.escaped(code.meaning))\n"))
    }
    for example in command.examples {
      #expect(manual.contains(Roff.escaped(example.command)))
    }
  }

  @Test func `only requests begin with a dot`() {
    let requests = [".TH", ".SH", ".SS", ".TP", ".RS", ".RE"]
    for line in command.manual().split(separator: "\n") where line.hasPrefix(".") {
      #expect(requests.contains { line == $0 || line.hasPrefix($0 + " ") }, "\(line)")
    }
  }

  @Test func `text that looks like roff stays text`() {
    var page = Roff()
    page.text(".SH it's \\fB -- ~^`")
    page.text("'quoted")
    page.request(".SH", ["a \"b\""])
    #expect(
      page.source == #"""
        \&.SH it\(aqs \(rsfB \-\- \(ti\(ha\(ga
        \(aqquoted
        .SH "a \(dqb\(dq"

        """#)
  }

  @Test(.enabled(if: Child.isInstalled("groff")))
  func `groff sets the page without a warning`() {
    let output = ScratchFile()
    let script = "printf %s \"$1\" | groff -man -Tutf8 -ww -z"
    #expect(Child.run(["sh", "-c", script, "sh", command.manual()], output: output)?.status == 0)
    #expect(output.text == "")
  }
}
