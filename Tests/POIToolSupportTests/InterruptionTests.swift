import Glibc
import Testing

@testable import POIToolSupport

/// Sends this thread a signal and handles it before returning: exit tests run on a thread that
/// blocks signals.
private func deliver(_ number: Int32) {
  var signals = sigset_t()
  unsafe sigemptyset(&signals)
  unsafe sigaddset(&signals, number)
  unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  raise(number)
}

@Suite struct InterruptionTests {
  @Test(arguments: [SIGINT, SIGTERM])
  func `the first signal sets the flag`(number: Int32) async {
    await #expect(processExitsWith: .exitCode(7)) { [number] in
      signal(number, SIG_DFL)
      Interruption.install()
      guard !Interruption.isRequested else { exit(1) }
      deliver(number)
      exit(Interruption.isRequested ? 7 : 2)
    }
  }

  @Test func `the second signal ends the process`() async {
    await #expect(processExitsWith: .exitCode(130)) {
      Interruption.install()
      deliver(SIGTERM)
      deliver(SIGTERM)
      exit(1)
    }
  }

  @Test func `an ignored interrupt stays ignored`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      signal(SIGINT, SIG_IGN)
      Interruption.install()
      deliver(SIGINT)
      exit(Interruption.isRequested ? 1 : 7)
    }
  }
}
