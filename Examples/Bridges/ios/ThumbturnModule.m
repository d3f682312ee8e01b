#import <React/RCTBridgeModule.h>

@interface RCT_EXTERN_MODULE(Thumbturn, NSObject)

RCT_EXTERN_METHOD(call:(NSString *)name json:(NSString *)json
                  resolver:(RCTPromiseResolveBlock)resolver rejecter:(RCTPromiseRejectBlock)rejecter)

@end
