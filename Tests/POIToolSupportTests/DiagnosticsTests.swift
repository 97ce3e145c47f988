import Glibc
import Testing

@testable import POIToolSupport

@Suite struct DiagnosticsTests {
  private let file = ScratchFile()

  private func diagnostics(_ style: Diagnostics.Style = Diagnostics.Style()) -> Diagnostics {
    // A clock that advances by a second at each call.
    let clock = TickingClock()
    return Diagnostics(
      name: "sift-sand", descriptor: file.descriptor, style: style, clock: { clock.tick() })
  }

  @Test func `messages are lines with the tool's name`() {
    let diagnostics = diagnostics()
    diagnostics.error("beach.sand:3:1: wet \u{1b}[31m\n")
    diagnostics.warning("careful")
    diagnostics.note("by the way")
    #expect(
      file.text == """
        sift-sand: error: beach.sand:3:1: wet \\u{1b}[31m\\u{a}
        sift-sand: warning: careful
        sift-sand: note: by the way

        """)
  }

  @Test func `quiet omits only notes and progress`() {
    let diagnostics = diagnostics(Diagnostics.Style(isQuiet: true, showsProgress: true))
    diagnostics.error("a")
    diagnostics.warning("b")
    diagnostics.note("c")
    for done in 0..<5 { diagnostics.progress(Progress("d", unit: .bytes, done: done)) }
    #expect(file.text == "sift-sand: error: a\nsift-sand: warning: b\n")
  }

  @Test func `colour is put around the name and the kind`() {
    diagnostics(Diagnostics.Style(usesColor: true)).error("a")
    #expect(
      file.text == "\u{1b}[1msift-sand:\u{1b}[0m \u{1b}[1;31merror:\u{1b}[0m a\n")
  }

  @Test func `the progress line makes way for a message`() {
    let diagnostics = diagnostics(Diagnostics.Style(showsProgress: true))
    for done in 1...2 {
      diagnostics.progress(Progress("d", unit: .items("rows"), done: done))
    }
    diagnostics.note("n")
    diagnostics.progress(Progress("d", unit: .items("rows"), done: 3))
    diagnostics.clearProgress()
    diagnostics.clearProgress()
    let erase = "\r\u{1b}[K"
    #expect(
      file.text
        == erase + "d  2 rows" + erase + "sift-sand: note: n\n" + erase + "d  3 rows" + erase)
  }

  @Test(arguments: [
    (true, [:], true, true), (false, [:], false, false), (true, ["NO_COLOR": "1"], false, true),
    (true, ["NO_COLOR": ""], true, true), (true, ["TERM": "dumb"], false, false),
    (true, ["TERM": "xterm"], true, true),
  ])
  func `colour and progress follow the terminal and the environment`(
    isTerminal: Bool, environment: [String: String], usesColor: Bool, showsProgress: Bool
  ) {
    let style = Diagnostics.Style(isTerminal: isTerminal, environment: environment)
    #expect(style.usesColor == usesColor)
    #expect(style.showsProgress == showsProgress)
  }

  @Test func `progress can be asked for or forbidden`() {
    let always = Diagnostics.Style(isTerminal: false, environment: [:], progress: .always)
    #expect(always.showsProgress)
    let never = Diagnostics.Style(isTerminal: true, environment: [:], progress: .never)
    #expect(!never.showsProgress)
  }

  @Test func `a closed standard error is not a failure`() {
    let closed = OutputDescriptor(number: -1, name: "nothing")
    Diagnostics(
      name: "x", descriptor: closed, style: Diagnostics.Style(), clock: { .zero }
    ).error("a")
  }
}
