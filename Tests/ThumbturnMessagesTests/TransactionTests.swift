import Foundation
import Testing
import ThumbturnCore
import ThumbturnMessages

@Suite struct TransactionTests {
    static let provider = #"{"legal_name":"Pay Ltd","brand_name":"Pay","domain_name":"pay.example"}"#
    static let payee = #"{"name":"Super Store","id":"DE75512108001245126199"}"#

    static let payment = #"""
        {"type":"urn:eudi:sca:payment:1","payload":{"transaction_id":"t-1","date_time":"2026-11-21T10:20:30Z","payee":\#(payee),"pisp":\#(provider),"execution_date":"2026-11-24","currency":"EUR","amount":"12.50"}}
        """#
    static let login = #"""
        {"type":"urn:eudi:sca:login_risk_transaction:1","payload":{"transaction_id":"t-1","date_time":"2026-11-21T10:20:30Z","service":"Acme Bank","action":"Raise the daily limit to 5000 EUR"}}
        """#
    static let access = #"""
        {"type":"urn:eudi:sca:account_access:1","payload":{"transaction_id":"t-1","date_time":"2026-11-21T10:20:30Z","aisp":\#(provider),"description":"Balances for 90 days"}}
        """#
    static let mandate = #"""
        {"type":"urn:eudi:sca:emandate:1","payload":{"transaction_id":"t-1","date_time":"2026-11-21T10:20:30Z","payee":\#(payee),"creditor_id":"DE98ZZZ09999999999","reference_number":"m-1","purpose":"Electricity","start_date":"2026-12-01","end_date":"2027-12-01","currency":"EUR","amount":"80"}}
        """#

    static func read(_ json: String) throws -> ApprovalTransaction {
        try StrictJSON.decode(ApprovalTransaction.self, from: Array(json.utf8))
    }

    @Test("each kind shows everything that is signed", arguments: [payment, login, access, mandate])
    func lines(_ json: String) throws {
        let transaction = try Self.read(json)
        let shown = transaction.lines.map(\.value).joined(separator: "\n")
        var object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        object["type"] = nil
        func check(_ value: Any) {
            if let members = value as? [String: Any] { members.values.forEach(check) }
            if let text = value as? String { #expect(shown.contains(text), "\(text)") }
        }
        check(object)
        #expect(transaction.id == "t-1" && !transaction.hasUnusualName)
        for language in MessageLanguage.allCases {
            #expect(!transaction.title.text(in: language).isEmpty)
        }
    }

    @Test("its canonical bytes are read back as the same", arguments: [payment, login, access, mandate])
    func canonical(_ json: String) throws {
        let transaction = try Self.read(json)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = try encoder.encode(transaction)
        #expect(StrictJSON.encode(transaction) == Array(bytes), "the bytes that devices signed before")
        #expect(try Self.read(String(decoding: bytes, as: UTF8.self)) == transaction)
        #expect(try encoder.encode(Self.read(String(decoding: bytes, as: UTF8.self))) == bytes)
    }

    @Test(
        "what could not be shown is not read",
        arguments: [
            (#""amount":"12.50""#, #""amount":12.50"#), (#""amount":"12.50""#, #""amount":"12.50","fee":"1""#),
            (#""name":"Super Store""#, #""name":"Super\u202Eerots""#), (#""name":"Super Store""#, #""name":"Super Stоre""#),
            (#""currency":"EUR""#, #""currency":"€""#), (#""currency":"EUR","#, ""), ("payment:1", "payment:2"),
            (#""pay.example""#, #""pаy.example""#), (#""brand_name":"Pay""#, #""brand_name":null"#),
            (#""transaction_id":"t-1""#, #""transaction_id":"""#),
        ])
    func refused(_ part: String, _ other: String) throws {
        #expect(Self.payment.contains(part))
        #expect(throws: (any Error).self) { _ = try Self.read(Self.payment.replacing(part, with: other)) }
    }
}
