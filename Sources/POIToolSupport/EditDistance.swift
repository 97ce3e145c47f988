/// The number of insertions, deletions, replacements and swaps of neighbours between two texts.
///
/// - SeeAlso: "optimal string alignment" in
///   https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance
func editDistance(_ first: String, _ second: String) -> Int {
  let first = Array(first.unicodeScalars)
  let second = Array(second.unicodeScalars)
  var rowBeforeLast: [Int] = []
  var lastRow = Array(0...second.count)
  for (i, left) in first.enumerated() {
    var row = [i + 1]
    for (j, right) in second.enumerated() {
      var distance = min(lastRow[j] + (left == right ? 0 : 1), lastRow[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, left == second[j - 1], first[i - 1] == right {
        distance = min(distance, rowBeforeLast[j - 1] + 1)
      }
      row.append(distance)
    }
    (rowBeforeLast, lastRow) = (lastRow, row)
  }
  return lastRow[second.count]
}

/// The candidate that `word` was probably meant to be: one that starts with it, or one within a few
/// typing mistakes.
func nearest(to word: String, in candidates: [String]) -> String? {
  let tolerance = max(1, word.unicodeScalars.count / 4)
  var best: (candidate: String, distance: Int)?
  for candidate in candidates {
    let isBeginning = word.utf8.count > 3 && candidate.hasPrefix(word)
    let distance = isBeginning ? 1 : editDistance(word, candidate)
    if distance <= tolerance, distance < best?.distance ?? .max { best = (candidate, distance) }
  }
  return best?.candidate
}
