/// A sample of the records of two consecutive inputs, by the hash of their value of one attribute.
///
/// Inputs can be versions of one file. If the records with the same value in both hardly resemble each other, the
/// attribute does not identify them. Only the records with the smallest hashes are kept, so that the samples of
/// both inputs hold the same values.
struct KeySample {
  static let recordLimit = 64

  /// The most members of a record that are kept.
  static let memberLimit = 64

  /// The fewest pairs that allow a conclusion.
  static let pairMinimum = 8

  /// The most attributes of which there are samples.
  static let attributeLimit = 16

  /// The hashes of the members of a record, by their place.
  typealias Members = [Int: UInt64]

  private var former: [UInt64: Members] = [:]
  private var current: [UInt64: Members] = [:]
  private var greatest: UInt64 = 0

  private var pairCount = 0
  /// Members of records with the same value, and of neighbours in the sample.
  private var pairs = Tally()
  private var strangers = Tally()

  private struct Tally {
    var count = 0
    var equalCount = 0

    mutating func compare(_ left: Members, _ right: Members) {
      for (place, hash) in left {
        guard let other = right[place] else { continue }
        count += 1
        if hash == other { equalCount += 1 }
      }
    }

    var share: Double { count == 0 ? 0 : Double(equalCount) / Double(count) }
  }

  /// Inserts a record; of records with the same hash the first is kept.
  mutating func insert(_ hash: UInt64, _ members: [(place: Int, hash: UInt64)]) {
    guard current.count < KeySample.recordLimit || hash < greatest, current[hash] == nil
    else { return }
    current[hash] = Members(uniqueKeysWithValues: members.map { ($0.place, $0.hash) })
    if current.count > KeySample.recordLimit { current[greatest] = nil }
    greatest = current.keys.max() ?? 0
  }

  /// Compares the input with the one before.
  mutating func endInput() {
    let shared = current.keys.filter { former[$0] != nil }.sorted()
    pairCount += shared.count
    for (index, hash) in shared.enumerated() {
      guard let members = former[hash], let same = current[hash],
        let stranger = current[shared[(index + 1) % shared.count]]
      else { continue }
      pairs.compare(members, same)
      strangers.compare(members, stranger)
    }
    if !current.isEmpty { former = current }
    current = [:]
    greatest = 0
  }

  /// How much more the records with the same value resemble each other than other records do: 0 is not at all, 1
  /// is in all members; nil if too few are known.
  var resemblance: Double? {
    guard pairCount >= KeySample.pairMinimum, strangers.share < 1 else { return nil }
    return (pairs.share - strangers.share) / (1 - strangers.share)
  }
}
