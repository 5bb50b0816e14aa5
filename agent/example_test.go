package agent_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wheelwright.dev/wheelwright/shared/definition"
)

// TestTheMigrationExample runs what examples/migration says of itself.
func TestTheMigrationExample(t *testing.T) {
	s := newSpoke(t)
	def, err := definition.FromDirectory(os.DirFS("../examples/migration/definitions/component"), "database")
	if err != nil {
		t.Fatal(err)
	}
	s.create(s.component("orders", "r1", def, `{"image":"orders-db:1","schema":"7"}`))
	s.awaitHealth("orders", "r1", true)
	s.wantJobs(map[string]int{"migrate": 1})
	migration := s.jobs()["migrate"][0].Name
	wantMigration := func(want string) {
		t.Helper()
		if got := s.object("apps/v1", "Deployment", "orders").GetAnnotations()["example.com/migrated-by"]; got != want {
			t.Errorf("the Deployment was migrated by %q, want %q", got, want)
		}
	}
	wantMigration(migration)

	t.Log("another image is no migration, and another schema is one")
	s.dispatch("orders", "r2", `{"image":"orders-db:2","schema":"7"}`)
	s.awaitHealth("orders", "r2", true)
	s.wantJobs(map[string]int{"migrate": 1})
	wantMigration(migration)
	s.dispatch("orders", "r3", `{"image":"orders-db:2","schema":"8"}`)
	s.awaitHealth("orders", "r3", true)
	for _, job := range s.jobs()["migrate"] {
		if job.Name != migration {
			wantMigration(job.Name)
			if diff := cmp.Diff([]string{"./migrate", "up", "8"}, job.Spec.Template.Spec.Containers[0].Command); diff != "" {
				t.Errorf("the command (-want +got):\n%s", diff)
			}
		}
	}
	s.deleteComponent("orders")
	s.wantJobs(map[string]int{"migrate": 2, "backup": 1})
}
