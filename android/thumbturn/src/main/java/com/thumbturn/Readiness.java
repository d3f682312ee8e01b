package com.thumbturn;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Message;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What a person can do on this phone now: an answer that never prompts. */
public final class Readiness {
    /** The rung that would be asked first; {@link Rung#FULL_CREDENTIALS} where the person has to sign in. */
    public final Rung nextRung;

    /** The rungs that can be asked now, in order. */
    public final List<Rung> usableRungs;

    /** Whether this device is enrolled. It is read from the keys at each call and stored nowhere. */
    public final boolean isEnrolled;

    /** The kind of the sensor: face, fingerprint or iris; null where there is none, or several. */
    @Nullable public final String sensor;

    /** The text to show beside the sensor; null where it is ready. */
    @Nullable public final String sensorText;

    /** The state of the sensor in English, for logs. */
    public final String sensorState;

    /** Why the sensor cannot be asked, with the next step; null where it can. */
    @Nullable public final Failure sensorObstacle;

    /** The state of each key. */
    public final Map<KeyKind, KeyState> keys;

    private Readiness(Message.Reader fields) {
        nextRung = Rung.named(fields.text());
        usableRungs = fields.list(each -> Rung.named(each.text()));
        isEnrolled = fields.flag();
        sensor = fields.textOrNull();
        sensorText = fields.textOrNull();
        sensorState = fields.text();
        sensorObstacle = fields.flag() ? Failure.read(fields) : null;
        Map<KeyKind, KeyState> states = new EnumMap<>(KeyKind.class);
        fields.list(each -> states.put(KeyKind.named(each.text()), KeyState.read(each)));
        keys = Collections.unmodifiableMap(states);
    }

    static Readiness read(Message.Reader fields) {
        return new Readiness(fields);
    }

    @Override
    public String toString() {
        return "next: " + nextRung.code + "; sensor: " + sensorState + "; keys: " + keys;
    }
}
