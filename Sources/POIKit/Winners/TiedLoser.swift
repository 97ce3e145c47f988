internal import POIRecords

/// A row of the winner's rank that lost by the digest of its content.
struct TiedLoser: BitwiseCopyable {
  let rowID: Int64
  let digest: Digest
}
