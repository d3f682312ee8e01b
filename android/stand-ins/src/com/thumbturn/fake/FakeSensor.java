package com.thumbturn.fake;

import android.hardware.biometrics.BiometricManager;
import android.hardware.biometrics.BiometricManager.Authenticators;

/** The biometric sensor and the screen lock: what they are, what is enrolled, and the lockouts. */
public final class FakeSensor {
    /** The class of the sensor. */
    public enum Strength {
        NONE,
        WEAK,
        STRONG
    }

    private static final int MISMATCHES_BEFORE_LOCKOUT = 5;
    private static final int MISMATCHES_BEFORE_PERMANENT = 20;
    private static final long LOCKOUT_MILLISECONDS = 30_000;

    private final FakeAndroid android;

    public volatile Strength strength = Strength.STRONG;
    public volatile int enrolled = 1;
    public volatile boolean secure = true;

    /** Another answer of canAuthenticate for the biometric classes, as when the hardware is busy; 0 for none. */
    public volatile int trouble;

    private int mismatches;
    private boolean permanent;
    private long lockedUntil;

    FakeSensor(FakeAndroid android) {
        this.android = android;
    }

    public int canAuthenticate(int authenticators) {
        if ((authenticators & Authenticators.DEVICE_CREDENTIAL) != 0 && secure) {
            return BiometricManager.BIOMETRIC_SUCCESS;
        }
        if ((authenticators & Authenticators.BIOMETRIC_WEAK) == 0) {
            return BiometricManager.BIOMETRIC_ERROR_NONE_ENROLLED;
        }
        boolean wantsStrong = (authenticators & Authenticators.BIOMETRIC_WEAK) == Authenticators.BIOMETRIC_STRONG;
        if (strength == Strength.NONE || wantsStrong && strength == Strength.WEAK) {
            return BiometricManager.BIOMETRIC_ERROR_NO_HARDWARE;
        }
        if (trouble != 0) {
            return trouble;
        }
        return enrolled == 0 ? BiometricManager.BIOMETRIC_ERROR_NONE_ENROLLED : BiometricManager.BIOMETRIC_SUCCESS;
    }

    /** Enrols another finger: keys that end with a change of enrolment end. */
    public synchronized void enrol() {
        enrolled++;
        android.keystore.enrolmentChanged();
    }

    public synchronized void removeAllFingers() {
        enrolled = 0;
        android.keystore.enrolmentChanged();
    }

    /** Removes the screen lock, and with it fingers and all keys that are bound to either. */
    public synchronized void removeScreenLock() {
        secure = false;
        enrolled = 0;
        android.keystore.screenLockRemoved();
    }

    /** The lockout that is in force: 0, 7 or 9. */
    synchronized int lockout() {
        if (permanent) {
            return 9;
        }
        return android.main.time() < lockedUntil ? 7 : 0;
    }

    /** Counts a mismatch and returns the lockout that it brings: 0, 7 or 9. */
    synchronized int mismatched() {
        mismatches++;
        if (mismatches >= MISMATCHES_BEFORE_PERMANENT) {
            permanent = true;
        } else if (mismatches % MISMATCHES_BEFORE_LOCKOUT == 0) {
            lockedUntil = android.main.time() + LOCKOUT_MILLISECONDS;
        }
        return lockout();
    }

    /** A match or the screen lock's credential ends the count, the latter also a lockout. */
    synchronized void succeeded(boolean byCredential) {
        mismatches = 0;
        if (byCredential) {
            permanent = false;
            lockedUntil = 0;
        }
    }
}
