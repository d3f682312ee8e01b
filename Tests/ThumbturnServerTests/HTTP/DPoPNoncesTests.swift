#if Tools
import Testing
import ThumbturnCore
import ThumbturnLoad
import ThumbturnServer
import ThumbturnVerifier

@Suite struct DPoPNoncesTests {
    let start = UnixTime(seconds: 900)
    let device = LoadDevice(server: "https://a.example")

    private func proof(_ nonce: String) throws -> DPoPProof {
        try DPoPProof(
            device.dpop("GET", "/x", nil, nonce: nonce), for: .init(method: "GET", uri: "https://a.example/x"),
            fresh: .nonce(isLive: { _ in true })
        )
    }

    private func refusal(_ nonces: DPoPNonces, _ proof: DPoPProof, at time: UnixTime) -> VerificationError? {
        do throws(VerificationError) {
            try nonces.admit(proof, at: time)
            return nil
        } catch {
            return error
        }
    }

    @Test("a proof is remembered as long as its nonce lives", arguments: [0, 1, 29, 30, 31, 59])
    func replays(_ later: Int) throws {
        let nonces = DPoPNonces(now: start)
        let proof = try proof(nonces.current(at: start))
        #expect(refusal(nonces, proof, at: start) == nil)
        #expect(refusal(nonces, proof, at: start + .seconds(later)) == .replayed)
    }

    @Test func afterTheTimeWasSetBackNoncesExpireAsEver() throws {
        let nonces = DPoPNonces(now: start)
        let old = nonces.current(at: start)
        let back = start + .seconds(-600)
        #expect(!nonces.isLive(old, at: back))
        let fresh = nonces.current(at: back)
        #expect(nonces.isLive(fresh, at: back + .seconds(30)) && !nonces.isLive(fresh, at: back + .seconds(60)))
    }

    @Test func aRequestThatReadTheTimeEarlierChangesNothing() throws {
        let nonces = DPoPNonces(now: start)
        let nonce = nonces.current(at: start)
        #expect(nonces.isLive(nonce, at: start + .seconds(-1)) && nonces.isLive(nonce, at: start))
    }

    @Test func aJTIIsRefusedUnderTheNextNonceToo() throws {
        let nonces = DPoPNonces(now: start)
        let (old, later) = (nonces.current(at: start), start + .seconds(30))
        func proof(_ nonce: String) throws -> DPoPProof {
            try DPoPProof(
                device.dpop("GET", "/x", nil, nonce: nonce, jti: "the same one"),
                for: .init(method: "GET", uri: "https://a.example/x"),
                fresh: .nonce(isLive: { _ in true })
            )
        }
        #expect(refusal(nonces, try proof(old), at: start) == nil)
        #expect(refusal(nonces, try proof(nonces.current(at: later)), at: later) == .replayed)
    }

    @Test func aNonceExpires() throws {
        let nonces = DPoPNonces(now: start)
        let nonce = nonces.current(at: start)
        #expect(nonces.isLive(nonce, at: start + .seconds(59)))
        #expect(!nonces.isLive(nonce, at: start + .seconds(60)))
        #expect(refusal(nonces, try proof(nonce), at: start + .seconds(60)) == .nonceNeeded)
        #expect(!DPoPNonces(now: start).isLive(nonce, at: start), "another process has another key")
    }

    @Test("whatever bucket they fall in, so many are remembered and no more", arguments: [0, 30])
    func capacity(_ later: Int) throws {
        let nonces = DPoPNonces(now: start, capacity: 3)
        let nonce = nonces.current(at: start)
        let time = start + .seconds(later)
        for _ in 0..<3 { #expect(refusal(nonces, try proof(nonce), at: time) == nil) }
        #expect(refusal(nonces, try proof(nonce), at: time) == .nonceNeeded, "all nonces are void")
        #expect(!nonces.isLive(nonce, at: time))
        #expect(refusal(nonces, try proof(nonces.current(at: time)), at: time) == nil)
    }
}
#endif
