#if Server

/// How PostgreSQL writes what SQLite writes differently, in the statements that both run, which are written once. Beside it stand
/// `SQLPool.ifWhole`, and what only PostgreSQL runs: `PostgresSchema`, and the proofs that `PostgresPool` remembers.
///
/// | SQLite | PostgreSQL |
/// |---|---|
/// | `?`, `?1` | `$1` |
/// | `LIMIT -1` | `LIMIT ALL` |
/// | `INDEXED BY name` | left out: a hint for SQLite's planner |
/// | `max(a, b)`, `min(a, b)`, `zeroblob(n)` | functions of these names, which `functions` makes |
enum Dialect {
    /// A statement of the store for PostgreSQL. Its arguments have the numbers that SQLite gives them.
    static func statement(_ sql: String) -> String {
        var (result, last, isQuoted) = ("", 0, false)
        let text = sql.replacing("LIMIT -1", with: "LIMIT ALL").replacing(#/\sINDEXED BY \w+/#, with: "")
        var rest = text[...]
        while let character = rest.popFirst() {
            if character == "'" { isQuoted.toggle() }
            guard character == "?", !isQuoted else {
                result.append(character)
                continue
            }
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            // An argument without a number has the one after the highest so far.
            let number = Int(digits) ?? last + 1
            last = max(last, number)
            result += "$\(number)"
        }
        return result
    }

    /// The functions that the statements call and PostgreSQL does not have. As in SQLite, the greater or lesser of two values is null
    /// if one of them is, which `greatest` and `least` would pass over.
    static let functions = [
        "CREATE FUNCTION max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT int8larger($1, $2)'",
        "CREATE FUNCTION min(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT int8smaller($1, $2)'",
        "CREATE FUNCTION zeroblob(integer) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT decode(repeat(''00'', $1), ''hex'')'",
    ]
}
#endif
