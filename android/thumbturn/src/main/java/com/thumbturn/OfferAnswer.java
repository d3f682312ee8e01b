package com.thumbturn;

/** What a person answers to the offer of biometrics. */
public enum OfferAnswer {
    /** The person wants to set up biometrics. */
    SET_UP("setUp"),
    /** The person wants to be asked another time. */
    NOT_NOW("notNow"),
    /** The person does not want to be asked again. */
    NEVER("never");

    final String name;

    OfferAnswer(String name) {
        this.name = name;
    }
}
