internal import Foundation
internal import PeerSQLite

/// A usual Swift program: it decodes the whole file with JSONDecoder, keeps the newest record of each
/// identifier in a dictionary, and inserts them in one transaction.
@main
struct DecodePeer {
  struct Place: Decodable {
    struct Category: Decodable {
      let name: String
    }

    let identifier: String
    let name: String
    let address: String?
    let city: String?
    let country: String?
    let information: String?
    let latitude: Double
    let longitude: Double
    /// RFC 3339 in UTC with seconds, which sorts as text; a strategy for dates would cost more.
    let updatedAt: String?
    let category: Category?
  }

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { fatalError("usage: decode-peer INPUT STORE") }
    let data = try Data(contentsOf: URL(filePath: arguments[1]), options: .mappedIfSafe)
    let places = try JSONDecoder().decode([Place].self, from: data)
    var newest: [String: Int] = [:]
    newest.reserveCapacity(places.count)
    for (index, place) in places.enumerated() {
      if let other = newest[place.identifier],
        places[other].updatedAt ?? "" >= place.updatedAt ?? ""
      {
        continue
      }
      newest[place.identifier] = index
    }
    let store = unsafe PeerStore(path: arguments[2])
    unsafe store.write(newest.values.sorted().lazy.map { places[$0] })
  }
}
