import Glibc
import Testing

@testable import POIFiles

@Suite struct DescriptorTests {
  @Test func `a file never has the number of a standard stream`() async {
    await #expect(processExitsWith: .success) {
      close(STDIN_FILENO)
      let file = try Descriptor(opening: "/dev/null")
      #expect(file.number > STDERR_FILENO)
      let pair = try SocketPair.make()
      #expect(pair.ours.number > STDERR_FILENO && pair.childs.number > STDERR_FILENO)
    }
  }
}
