extension DecodingError {
    /// Where and why, without the decoder's own words around it.
    package var says: String {
        let (context, says) =
            switch self {
            case .typeMismatch(_, let context): (context, "is of another kind")
            case .keyNotFound(let key, let context): (context, "lacks the member \"\(key.stringValue)\"")
            case .valueNotFound(_, let context), .dataCorrupted(let context): (context, context.debugDescription)
            @unknown default: (Context(codingPath: [], debugDescription: ""), "cannot be read")
            }
        let path = context.codingPath.reduce("") { path, key in
            key.intValue.map { "\(path)[\($0)]" } ?? (path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)")
        }
        return (path.isEmpty ? "" : "\(path): ") + says
    }
}
