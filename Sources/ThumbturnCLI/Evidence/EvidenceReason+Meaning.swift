#if Tools
import ThumbturnVerifier

extension EvidenceRefusal.Reason {
    /// What the refusal means for an operator, and what to look at next.
    var meaning: String {
        switch self {
        case .missing: "There is no evidence, and it is demanded."
        case .tooLarge: "A part is larger than any real device's. It was not read further."
        case .malformed: "A part does not have the form of its standard. It was damaged on its way, or made by hand."
        case .unsupported: "The format, version or algorithm is one that this verifier does not read."
        case .chainTooLong: "No real device has such a long chain of certificates."
        case .untrustedRoot: "The chain leads to a root that is not trusted. Evidence of simulators and of tests has such roots."
        case .brokenChain: "A certificate was not issued by the next one. The chain was put together from parts."
        case .notAnAuthority: "A certificate issues another one without being allowed to."
        case .notYetValid: "A certificate is not yet valid at the time of the judgement. --at names another time."
        case .expired: "A certificate is no longer valid at the time of the judgement. --at names the time of the enrolment."
        case .weakKey: "A key is of a kind, size or curve that proves nothing."
        case .unknownCriticalExtension: "A certificate has a demand that this verifier does not know."
        case .chainExtended: "The attested key signed a certificate of its own: the chain is an attack."
        case .unknownPath: "The platform attests keys through other certificates than these."
        case .revoked: "A certificate is revoked: its private key leaked, or its maker withdrew it."
        case .suspended: "A certificate is suspended. Try again when Google has decided."
        case .statusUnknown: "There is no status list that is young enough."
        case .wrongChallenge: "The evidence is for another challenge, or for other keys: a replay, or another enrolment's."
        case .wrongKey: "The evidence is about another key than the one that it is given for."
        case .wrongSignature: "A signature of the evidence is by another key, or over something else."
        case .wrongApp: "Another app made the evidence: a changed copy, or an id that the policy does not have."
        case .wrongEnvironment:
            "Development evidence is no production evidence, and the reverse. --environment says what is taken."
        case .counterNotGreater: "The same use of the key was seen before: a replay, or a copy of the device's state."
        case .counterNotZero: "The key was used before it was attested."
        case .wrongCredential: "The device could not open the credential: the attestation key is not in this TPM."
        case .noKeyDescription: "The certificates say nothing about a key, so it is not attested."
        case .wrongSecurityLevel: "The key does not live where it has to, or its certificates claim another place."
        case .wrongOrigin: "The key was not made in the secure hardware, so copies of it can exist."
        case .wrongPurpose: "The key may do more than sign."
        case .wrongAlgorithm: "The key or its signature is of another algorithm than the one demanded."
        case .wrongAuthentication: "The key can be used without the person's verification that the policy demands."
        case .authenticationTimeout: "After one verification the key can be used for some time without another."
        case .notVerifiedBoot: "The device runs a system that its maker did not sign, so what the system says counts for nothing."
        case .oldPatchLevel: "The system's security patch is too old. An update of the device helps."
        case .noRollbackResistance: "The hardware does not promise that a deleted key stays deleted, and the policy demands it."
        case .unknownVersion: "The attestation has a version that the policy does not take."
        case .wrongAttributes: "The TPM's key, or its certificate, is for something else than it has to be."
        case .wrongPolicyDigest: "The TPM does not demand what the device says that it demands."
        case .notFromTPM: "The statement was not made by a TPM, or says something else."
        }
    }
}
#endif
