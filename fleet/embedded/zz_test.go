package embedded
import ("testing";"time")
func TestZZOutage(t *testing.T){
 c:=startTest(t,Options{})
 c.StopAPIServer(t.Context())
 time.Sleep(100*time.Second)
 if c.Err()!=nil { t.Fatal(c.Err()) }
 s:=time.Now()
 if err:=c.StartAPIServer(t.Context()); err!=nil {t.Fatal(err)}
 t.Log("back", time.Since(s))
 deployAndAwait(t, testClient(t,c), "later")
 t.Log("deployed", time.Since(s), c.Pids())
}
